internal import Basics

/// The settings of a container's key-value store.
public struct KeyValueSettings: Sendable, Equatable {
  /// The limits of its contents.
  public var limits = KeyValueLimits.seed
  /// Which of two writes wins.
  public var policy = KeyValuePolicy.timestamp
  /// How often a device may synchronize; nil for no limit.
  public var rate: KeyValueRate?

  /// The settings of a new store.
  public init() {}
}

/// The limits of a key-value store; the sources disagree (kvs-documents.md A1).
public enum KeyValueLimits: String, Sendable, CaseIterable {
  /// The limits that every version accepts.
  case seed
  /// The limits of the current class reference.
  case current
  /// The limits of iOS 5.
  case ios5

  /// The maximum number of keys.
  public var keys: Int { 1024 }
  /// The maximum size of all values of an account, in bytes.
  public var bytes: Int { self == .ios5 ? 64 << 10 : 1 << 20 }
  /// The maximum size of a value, in bytes.
  public var valueBytes: Int { bytes }

  /// Throws `invalidArguments` for a key that is empty or too long.
  public func check(key: String) throws(CloudError) {
    let (length, most, unit) =
      self == .current
      ? (key.utf16.count, 128, "UTF-16 units") : (key.utf8.count, 64, "bytes")
    if length == 0 { throw CloudError(.invalidArguments, "the key is empty") }
    guard length <= most else {
      throw CloudError(
        .invalidArguments,
        "the key '\(key.visible)' has \(length) \(unit); at most \(most) are allowed")
    }
  }
}

/// Which of two writes of a key wins (kvs-documents.md A5).
public enum KeyValuePolicy: String, Sendable, CaseIterable {
  /// The later write.
  case timestamp
  /// The write in iCloud.
  case serverFirst = "server-first"
}

/// How often a device may synchronize: at most `count` times in a row, then `count` times per
/// period (kvs-documents.md A6).
public struct KeyValueRate: Sendable, Equatable {
  /// How many times.
  public let count: Int64
  /// The period, in milliseconds.
  public let period: Int64

  /// Creates a rate.
  public init(count: Int64, period: Int64) { (self.count, self.period) = (count, period) }

  /// Parses `15/90s`; nil for other text.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let count = Int64(parts[0]), count > 0, parts[1].last == "s",
      let seconds = Int64(parts[1].dropLast()), seconds > 0, seconds <= 86_400 * 366,
      count <= seconds * 1000
    else { return nil }
    self.init(count: count, period: seconds * 1000)
  }

  /// The rate as written.
  public var text: String { "\(count)/\(period / 1000)s" }

  /// The new `free` time after a synchronization at `now`, in milliseconds; nil if it is too early
  /// to synchronize.
  public func next(after free: Int64, at now: Int64) -> Int64? {
    let next = self.next(free, now)
    return next - now <= period ? next : nil
  }

  /// How many milliseconds to wait before synchronizing.
  public func wait(after free: Int64, at now: Int64) -> Int64 {
    next(free, now) - now - period
  }

  /// Limits the wait to one period, even if the clock went back.
  private func next(_ free: Int64, _ now: Int64) -> Int64 {
    min(max(free, now), now + period) + period / count
  }
}
