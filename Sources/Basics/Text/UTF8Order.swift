// Swift compares strings by canonical equivalence; names, keys and record values here are
// compared as the bytes that they are (the store's BINARY collation, NSPredicate without options).

/// Whether `left` stands before `right` in the order of their UTF-8 bytes.
public func utf8Precedes(_ left: String, _ right: String) -> Bool {
  utf8Compare(left, right) < 0
}

/// Whether two strings are the same bytes.
public func utf8Equal(_ left: String, _ right: String) -> Bool {
  left.utf8.elementsEqual(right.utf8)
}

/// Negative, zero or positive, as memcmp has it for the UTF-8 bytes of two strings.
public func utf8Compare(_ left: String, _ right: String) -> Int {
  var left = left.utf8.makeIterator()
  var right = right.utf8.makeIterator()
  while true {
    switch (left.next(), right.next()) {
    case (nil, nil): return 0
    case (nil, _): return -1
    case (_, nil): return 1
    case (let a?, let b?): if a != b { return Int(a) - Int(b) }
    }
  }
}
