internal import Basics

/// How a container's key-value store behaves.
public struct KeyValueSettings: Sendable, Equatable {
  /// What it may hold.
  public var limits = KeyValueLimits.seed
  /// Which of two writes stays.
  public var policy = KeyValuePolicy.timestamp
  /// How often a device may synchronize; nil for any number of times.
  public var rate: KeyValueRate?

  /// The settings of a new store.
  public init() {}
}

/// What a key-value store may hold: the sources disagree (kvs-documents.md A1).
public enum KeyValueLimits: String, Sendable, CaseIterable {
  /// What every version accepts.
  case seed
  /// Those of the class reference today.
  case current
  /// Those of iOS 5.
  case ios5

  /// How many keys there may be.
  public var keys: Int { 1024 }
  /// How many bytes all values of an account may have.
  public var bytes: Int { self == .ios5 ? 64 << 10 : 1 << 20 }
  /// How many bytes one value may have.
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

/// Which of two writes of a key stays (kvs-documents.md A5).
public enum KeyValuePolicy: String, Sendable, CaseIterable {
  /// The later one.
  case timestamp
  /// The one that iCloud has.
  case serverFirst = "server-first"
}

/// How often a device may synchronize: at most `count` times in a row, then `count` times per
/// period (kvs-documents.md A6).
public struct KeyValueRate: Sendable, Equatable {
  /// How many times.
  public let count: Int64
  /// The period, in milliseconds.
  public let period: Int64

  /// Puts a rate together.
  public init(count: Int64, period: Int64) { (self.count, self.period) = (count, period) }

  /// Reads `15/90s`; nil for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let count = Int64(parts[0]), count > 0, parts[1].last == "s",
      let seconds = Int64(parts[1].dropLast()), seconds > 0, seconds <= 86_400 * 366,
      count <= seconds * 1000
    else { return nil }
    self.init(count: count, period: seconds * 1000)
  }

  /// The rate as it is written.
  public var text: String { "\(count)/\(period / 1000)s" }

  /// When a device that could synchronize from `free` on may do so after another time, as times in
  /// milliseconds; nil where that is too early now.
  public func next(after free: Int64, at now: Int64) -> Int64? {
    let next = self.next(free, now)
    return next - now <= period ? next : nil
  }

  /// In how many milliseconds it may.
  public func wait(after free: Int64, at now: Int64) -> Int64 {
    next(free, now) - now - period
  }

  /// A clock that went back makes nobody wait for longer than a period.
  private func next(_ free: Int64, _ now: Int64) -> Int64 {
    min(max(free, now), now + period) + period / count
  }
}
