public import Basics
public import CloudModel

/// A kind of database that containers have, for code that treats all kinds alike: copies, restores,
/// the doctor.
public struct DatabaseKind: Sendable {
  /// Its format.
  public let format: DatabaseFormat
  /// Makes a copy that no process uses yet continue after a change's number, in place of another
  /// database if there is one.
  public let resume:
    @Sendable (_ copy: DatabaseFile, _ sequence: Int64, _ former: DatabaseFile?) throws(StoreError)
      -> Void
  private let doctor: @Sendable (DatabaseFile, Patience, WorkMeter?) -> any DatabaseDoctor

  /// A kind with its doctor.
  ///
  /// Every command makes one. It is not generic: the runtime would search for conformances then,
  /// which takes 5 % of a fetch.
  package init(
    _ format: DatabaseFormat,
    doctor: @escaping @Sendable (DatabaseFile, Patience, WorkMeter?) -> any DatabaseDoctor,
    resume: @escaping @Sendable (DatabaseFile, Int64, DatabaseFile?) throws(StoreError) -> Void = {
      (file, sequence, _) throws(StoreError) in try file.advance(to: sequence)
    }
  ) {
    (self.format, self.doctor, self.resume) = (format, doctor, resume)
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
