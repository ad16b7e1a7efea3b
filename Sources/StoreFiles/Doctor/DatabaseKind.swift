public import Basics
public import CloudModel

/// A kind of database that containers have, for code that treats all kinds alike: copies, restores,
/// the doctor.
public struct DatabaseKind: Sendable {
  /// Its format.
  public let format: DatabaseFormat
  /// The last numbers of a database that may be damaged.
  public let lastNumbers: @Sendable (DatabaseFile) -> LastNumbers
  /// Makes a copy that no process uses yet continue after numbers that were given elsewhere.
  public let resume: @Sendable (DatabaseFile, LastNumbers) throws(StoreError) -> Void
  private let doctor: @Sendable (DatabaseFile, Patience, WorkMeter?) -> any DatabaseDoctor

  /// A kind with its doctor.
  ///
  /// Every command makes one. It is not generic: the runtime would search for conformances then,
  /// which takes 5 % of a fetch.
  package init(
    _ format: DatabaseFormat,
    doctor: @escaping @Sendable (DatabaseFile, Patience, WorkMeter?) -> any DatabaseDoctor,
    lastNumbers: @escaping @Sendable (DatabaseFile) -> LastNumbers = {
      LastNumbers(change: $0.lastKnownSequence)
    },
    resume: @escaping @Sendable (DatabaseFile, LastNumbers) throws(StoreError) -> Void = {
      (file, last) throws(StoreError) in try file.advance(to: last.change)
    }
  ) {
    (self.format, self.doctor) = (format, doctor)
    (self.lastNumbers, self.resume) = (lastNumbers, resume)
  }

  /// Examines a database; `isDeep` reads all rows and indexes, `readsAssets` the contents of
  /// assets. Throws `StoreError` only for an interruption.
  public func examine(
    _ file: DatabaseFile, isDeep: Bool, readsAssets: Bool, _ patience: Patience,
    _ meter: WorkMeter? = nil
  ) throws(StoreError) -> Examination {
    try doctor(file, patience, meter).examine(isDeep: isDeep, readsAssets: readsAssets)
  }

  /// Repairs a database. Throws `StoreError` if the files cannot be changed.
  public func repair(
    _ file: DatabaseFile, at time: Timestamp, _ patience: Patience, _ meter: WorkMeter? = nil
  ) throws(StoreError) -> Repair {
    try doctor(file, patience, meter).repair(at: time)
  }
}

/// The numbers of the last change and notification that a database ever gave; 0 for none.
public struct LastNumbers: Sendable {
  /// The sequence number of the last change.
  public var change: Int64
  /// The number of the last notification.
  public var notification: Int64

  /// Makes numbers.
  public init(change: Int64 = 0, notification: Int64 = 0) {
    (self.change, self.notification) = (change, notification)
  }
}
