public import SQLite

/// What a kind of database is: its marks, its versions, and how its tables are made.
public struct DatabaseFormat: Sendable {
  /// The name of the file without its ending.
  public let name: String
  /// The mark in the file's header.
  public let applicationID: UInt32
  /// The version that this program writes.
  public let version: UInt32
  /// The oldest version that it can bring to this one.
  public let oldest: UInt32
  /// An SQL query for the number of the last change.
  public let lastSequence: String
  /// The tables whose rows are sealed.
  public var tables: [SealedTable] { makeTables() }
  /// SQL for the switches of a connection that writes.
  public let writerSwitches: String
  /// Whether rows name contents that are in files next to the database.
  public let hasAssets: Bool
  /// An SQL query for these contents, their hashes and sizes, where rows that are sealed name them;
  /// nil where that takes more than a query.
  public var heldAssets: String? { makeHeldAssets() }
  /// Makes the tables of an empty database; changes have numbers after a given one.
  public let create: @Sendable (Connection, Int64) throws(SQLiteError) -> Void
  /// Brings an older version to this one.
  public let upgrade: @Sendable (Connection, UInt32) throws(SQLiteError) -> Void
  /// Lets the next change have a number after a given one.
  public let advance: @Sendable (Connection, Int64) throws(SQLiteError) -> Void
  private let makeTables: @Sendable () -> [SealedTable]
  private let makeHeldAssets: @Sendable () -> String?

  /// Puts a format together. Every command has one, so that what only checks look at is made when
  /// it is asked for.
  public init(
    name: String, applicationID: UInt32, version: UInt32, oldest: UInt32, lastSequence: String,
    writerSwitches: String = "",
    tables: @escaping @Sendable @autoclosure () -> [SealedTable], hasAssets: Bool,
    heldAssets: @escaping @Sendable @autoclosure () -> String? = nil,
    create: @escaping @Sendable (Connection, Int64) throws(SQLiteError) -> Void,
    upgrade: @escaping @Sendable (Connection, UInt32) throws(SQLiteError) -> Void,
    advance: @escaping @Sendable (Connection, Int64) throws(SQLiteError) -> Void
  ) {
    (self.name, self.applicationID) = (name, applicationID)
    (self.version, self.oldest, self.lastSequence) = (version, oldest, lastSequence)
    (makeTables, makeHeldAssets) = (tables, heldAssets)
    (self.writerSwitches, self.hasAssets, self.create) = (writerSwitches, hasAssets, create)
    (self.upgrade, self.advance) = (upgrade, advance)
  }
}
