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
  private let examining:
    @Sendable (DatabaseFile, _ isDeep: Bool, _ readsAssets: Bool, Patience, WorkMeter?)
      throws(StoreError) -> Examination
  private let repairing:
    @Sendable (DatabaseFile, Timestamp, Patience, WorkMeter?) throws(StoreError) -> Repair

  /// A kind with its doctor.
  package init<Database: ExaminedDatabase>(
    _ format: DatabaseFormat, _ kind: Database.Type,
    resume: @escaping @Sendable (DatabaseFile, Int64, DatabaseFile?) throws(StoreError) -> Void = {
      (file, sequence, _) throws(StoreError) in try file.advance(to: sequence)
    }
  ) {
    self.format = format
    self.resume = resume
    examining = { (file, isDeep, readsAssets, patience, meter) throws(StoreError) in
      try Doctor(kind, file, patience: patience, meter)
        .examine(isDeep: isDeep, readsAssets: readsAssets)
    }
    repairing = { (file, time, patience, meter) throws(StoreError) in
      try Doctor(kind, file, patience: patience, meter).repair(at: time)
    }
  }

  /// Examines a database; `isDeep` reads all rows and indexes, `readsAssets` the contents of
  /// assets. Throws `StoreError` only for an interruption.
  public func examine(
    _ file: DatabaseFile, isDeep: Bool, readsAssets: Bool, _ patience: Patience,
    _ meter: WorkMeter? = nil
  ) throws(StoreError) -> Examination {
    try examining(file, isDeep, readsAssets, patience, meter)
  }

  /// Repairs a database. Throws `StoreError` if the files cannot be changed.
  public func repair(
    _ file: DatabaseFile, at time: Timestamp, _ patience: Patience, _ meter: WorkMeter? = nil
  ) throws(StoreError) -> Repair {
    try repairing(file, time, patience, meter)
  }
}
