public import Basics
public import CloudModel
public import SQLite

/// A failure of the files of a store: facts, no policy.
public struct StoreError: Error, Sendable, Equatable {
  /// The kind of failure.
  public let kind: Kind
  /// What failed and why, as a sentence without a period.
  public let message: String
  /// What the caller can do about it; nil for the usual remedy of the kind.
  public let remedy: Remedy?
  /// The error of SQLite behind it; nil for none.
  public let cause: SQLiteError?

  /// Describes an error.
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
    /// Anyone may have put anything there.
    case exposed
    case corrupt
    /// A row that does not match its checksum.
    case damagedRecord(RecordName, ZoneID)
    /// The records of a zone differ from those that it counted.
    case damagedZone(ZoneID)
    case newerVersion
    case olderVersion
    case missing
    case deleted
    case cannotCreate
    case inputOutput
    /// The system has no descriptors or no memory left, or does not open a file.
    case unavailable
    case interrupted
    case tooBig
    /// More than fits in a table.
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
      case .unavailable: .unavailable
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

  /// A record that does not match its checksum.
  public static func damaged(_ name: RecordName, in zone: ZoneID) -> StoreError {
    StoreError(
      .damagedRecord(name, zone), "the record '\(name.text)' of zone '\(zone.text)' is damaged")
  }

  /// Whether it is about a single record or zone, so that others can be read.
  public var isDamageOfPart: Bool {
    switch kind {
    case .damagedRecord, .damagedZone: true
    case .busy, .full, .readOnly, .exposed, .corrupt, .newerVersion, .olderVersion, .missing,
      .deleted, .cannotCreate, .inputOutput, .unavailable, .interrupted, .tooBig, .tooMany:
      false
    }
  }

  /// Whether it says something about the surroundings and nothing about the store's files.
  public var isOfSurroundings: Bool {
    switch kind {
    case .busy, .full, .readOnly, .cannotCreate, .unavailable, .interrupted: true
    case .damagedRecord, .damagedZone, .exposed, .corrupt, .newerVersion, .olderVersion, .missing,
      .deleted, .inputOutput, .tooBig, .tooMany:
      false
    }
  }

  /// The user or the caller no longer wants the result.
  public static let interrupted = StoreError(.interrupted, "interrupted")

  /// A failed POSIX call on the store's own files.
  public init(_ error: SystemError) {
    let kind: Kind =
      if error.isInterrupt {
        .interrupted
      } else if error.isDiskFull {
        .full
      } else if error.isPermission {
        .readOnly
      } else if error.isMissingFile {
        .missing
      } else if error.isExhausted {
        .unavailable
      } else {
        .inputOutput
      }
    self.init(kind, error.isInterrupt ? "interrupted" : error.description)
  }
}

/// Runs a POSIX call on the store's files; its failure becomes a `StoreError`.
public func onDisk<T>(_ call: () throws(SystemError) -> T) throws(StoreError) -> T {
  do { return try call() } catch { throw StoreError(error) }
}

extension Interruption {
  /// Throws `interrupted` if the work must end.
  public func check() throws(StoreError) {
    if isRaised { throw .interrupted }
  }
}
