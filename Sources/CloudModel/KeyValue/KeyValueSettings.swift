internal import Basics

/// The settings of a container's key-value store.
public struct KeyValueSettings: Sendable, Equatable {
  /// The limits of its contents.
  public var limits = KeyValueLimits.seed
  /// Which of two writes wins.
  public var policy = KeyValuePolicy.timestamp
  /// How often a device may synchronize; nil for no limit.
  public var rate: Rate?

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

  /// The length of the longest key.
  public var keyLength: Int { self == .current ? 128 : 64 }

  /// What the length of a key counts.
  public var keyUnit: String { self == .current ? "UTF-16 units" : "bytes" }

  /// Throws `invalidArguments` for a key that is empty or too long.
  public func check(key: String) throws(CloudError) {
    let length = self == .current ? key.utf16.count : key.utf8.count
    if length == 0 { throw CloudError(.invalidArguments, "the key is empty") }
    guard length <= keyLength else {
      throw CloudError(
        .invalidArguments,
        "the key '\(key.visible)' has \(length) \(keyUnit); at most \(keyLength) are allowed")
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
