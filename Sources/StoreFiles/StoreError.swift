public import Basics
public import CloudModel
public import SQLite

/// What went wrong with the files of a store: facts, no policy.
public struct StoreError: Error, Sendable, Equatable {
  /// What kind of failure it is.
  public let kind: Kind
  /// What was being done and what prevented it, as a sentence without its end.
  public let message: String
  /// What the caller can do about it; nil for what the kind of failure suggests.
  public let remedy: Remedy?
  /// The error of SQLite that it was; nil for none.
  public let cause: SQLiteError?

  /// Puts an error together.
  public init(
    _ kind: Kind, _ message: String, remedy: Remedy? = nil, cause: SQLiteError? = nil
  ) {
    (self.kind, self.message, self.remedy, self.cause) = (kind, message, remedy, cause)
  }

  /// The kinds of failure that callers act on.
  public enum Kind: Sendable, Equatable {
    case busy(holder: Int32?)
    case full
    case readOnly
    /// Anybody may have put anything there.
    case exposed
    case corrupt
    /// A record is not what was written.
    case damagedRecord(RecordName, ZoneID)
    /// The records that a zone has are not all that it counts.
    case damagedZone(ZoneID)
    case newerVersion
    case olderVersion
    case missing
    case deleted
    case cannotCreate
    case inputOutput
    case interrupted
    case tooBig
    /// More than a table can hold.
    case tooMany
  }

  /// A failed call of SQLite.
  public init(_ error: SQLiteError) {
    let kind: Kind =
      switch error.kind {
      case .busy: .busy(holder: nil)
      case .full: .full
      case .readOnly: .readOnly
      case .corrupt: .corrupt
      case .inputOutput: .inputOutput
      case .interrupted: .interrupted
      case .tooBig: .tooBig
      case .constraint, .other: .corrupt
      }
    let isInterrupt = if case .interrupted = kind { true } else { false }
    self.init(
      kind, isInterrupt ? "interrupted" : "\(error.path): \(error.message)", cause: error)
  }

  /// The message without the path of the database.
  public var detail: String { cause?.message ?? message }

  /// A record that is not what was written.
  public static func damaged(_ name: RecordName, in zone: ZoneID) -> StoreError {
    StoreError(
      .damagedRecord(name, zone), "the record '\(name.text)' of zone '\(zone.text)' is damaged")
  }

  /// Whether it is about a record or a zone, and others can be read.
  public var isDamageOfPart: Bool {
    switch kind {
    case .damagedRecord, .damagedZone: true
    case .busy, .full, .readOnly, .exposed, .corrupt, .newerVersion, .olderVersion, .missing,
      .deleted, .cannotCreate, .inputOutput, .interrupted, .tooBig, .tooMany:
      false
    }
  }

  /// The user or the caller does not want the result any more.
  public static let interrupted = StoreError(.interrupted, "interrupted")

  /// A failed POSIX call on the store's own files.
  public init(_ error: SystemError) {
    let kind: Kind =
      error.isInterrupt
      ? .interrupted
      : error.isDiskFull
        ? .full : error.isPermission ? .readOnly : error.isMissingFile ? .missing : .inputOutput
    self.init(kind, error.isInterrupt ? "interrupted" : error.description)
  }
}

/// Runs a POSIX call on the store's files; its failure becomes a `StoreError`.
public func onDisk<T>(_ call: () throws(SystemError) -> T) throws(StoreError) -> T {
  do { return try call() } catch { throw StoreError(error) }
}

extension Interruption {
  /// Throws `interrupted` when the work must end.
  public func check() throws(StoreError) {
    if isRaised { throw .interrupted }
  }
}
