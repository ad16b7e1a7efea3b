#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

// Swift compares strings by canonical equivalence; names, keys and record values are compared by
// bytes here (the store's BINARY collation, NSPredicate without options).

/// Whether `left` precedes `right` in the order of their UTF-8 bytes.
public func utf8Precedes(_ left: String, _ right: String) -> Bool {
  utf8Compare(left, right) < 0
}

/// Whether two strings are the same bytes.
public func utf8Equal(_ left: String, _ right: String) -> Bool {
  left.utf8.count == right.utf8.count && utf8Compare(left, right) == 0
}

/// Negative, zero or positive, like memcmp of the UTF-8 bytes of two strings.
public func utf8Compare(_ left: String, _ right: String) -> Int {
  var (left, right) = (left, right)
  return left.withUTF8 { left in
    right.withUTF8 { right in
      let count = min(left.count, right.count)
      guard count > 0, let start = left.baseAddress, let other = right.baseAddress else {
        return left.count - right.count
      }
      let order = Int(memcmp(start, other, count))
      return order == 0 ? left.count - right.count : order
    }
  }
}
