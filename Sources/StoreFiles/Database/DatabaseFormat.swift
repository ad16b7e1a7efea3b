public import SQLite

/// A kind of database: its marks, its versions and its tables.
public struct DatabaseFormat: Sendable {
  /// The name of the file without its suffix.
  public let name: String
  /// The mark in the file's header.
  public let applicationID: UInt32
  /// The version that this program writes.
  public let version: UInt32
  /// The oldest version that it can upgrade.
  public let oldest: UInt32
  /// An SQL query for the number of the last change.
  public let lastSequence: String
  /// The tables that every database has, in the order in which a salvage copies them.
  public var tables: [Table] { makeTables() }
  /// SQL for the switches of a connection that writes.
  public let writerSwitches: String
  /// What the copy of the catalog contains.
  package var catalog: [CatalogCopy.Part] { makeCatalog() }
  /// The names of files that repeat parts of a database, and are copied with it.
  public let copies = ["catalog"]
  /// The names of further files of a database.
  let companions = [
    "catalog.new", DatabaseFile.assetsLockName, DatabaseFile.remotesLockName,
  ]
  /// An SQL query for the hashes and sizes of these contents, if rows of sealed tables name them;
  /// nil if one query does not suffice.
  public var heldAssets: String? { makeHeldAssets() }
  /// Makes the next change have a number after a given one.
  public let advance: @Sendable (Connection, Int64) throws(StoreError) -> Void
  /// Removes contents by their hash from all rows that name them.
  let forget: @Sendable (Connection, String) throws(StoreError) -> Void
  private let makeTables: @Sendable () -> [Table]
  private let makeCatalog: @Sendable () -> [(table: String, columns: [String])]
  private let makeHeldAssets: @Sendable () -> String?
  private let fill: @Sendable (Connection, Int64) throws(StoreError) -> Void
  private let finish: @Sendable (Connection, UInt32) throws(StoreError) -> Void

  /// Describes a format. `fill` inserts missing first rows; changes have numbers after a given one.
  /// `finish` does what a version needs apart from tables and columns.
  ///
  /// Every command uses a format, so that what only checks need is made on demand.
  public init(
    name: String, applicationID: UInt32, version: UInt32, oldest: UInt32, lastSequence: String,
    writerSwitches: String = "",
    tables: @escaping @Sendable @autoclosure () -> [Table],
    catalog: @escaping @Sendable @autoclosure () -> [(table: String, columns: [String])],
    heldAssets: @escaping @Sendable @autoclosure () -> String? = nil,
    fill: @escaping @Sendable (Connection, Int64) throws(StoreError) -> Void,
    forget: @escaping @Sendable (Connection, String) throws(StoreError) -> Void = {
      (_, _) throws(StoreError) in
    },
    finish: @escaping @Sendable (Connection, UInt32) throws(StoreError) -> Void = {
      (_, _) throws(StoreError) in
    },
    advance: @escaping @Sendable (Connection, Int64) throws(StoreError) -> Void
  ) {
    (self.name, self.applicationID) = (name, applicationID)
    (self.version, self.oldest, self.lastSequence) = (version, oldest, lastSequence)
    (makeTables, makeHeldAssets) = (tables, heldAssets)
    self.writerSwitches = writerSwitches
    makeCatalog = catalog
    (self.fill, self.forget, self.finish, self.advance) = (fill, forget, finish, advance)
  }

  /// Makes the tables of an empty database, all or nothing; changes have numbers after a given one.
  public func create(
    _ connection: Connection, after sequence: Int64 = 0
  ) throws(StoreError) {
    try Table.addSealFunction(to: connection)
    try connection.perform(
      """
      BEGIN IMMEDIATE;
      PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version);
      """)
    for table in tables { try connection.perform(table.creation(asOf: version)) }
    try fill(connection, sequence)
    for table in tables where table.isSealed { try connection.perform(table.sealing()) }
    try connection.perform("COMMIT")
  }

  /// Inserts first rows that a salvaged database has lost.
  func fillAgain(_ connection: Connection) throws(StoreError) { try fill(connection, 0) }

  /// Upgrades a database, all or nothing; the caller holds the writer's lock.
  ///
  /// Only tables whose columns changed are sealed again: a damaged row of another table stays
  /// damaged.
  public func upgrade(_ connection: Connection, from old: UInt32) throws(StoreError) {
    try Table.addSealFunction(to: connection)
    try connection.perform("BEGIN IMMEDIATE")
    for step in old + 1...version {
      for table in tables { try connection.perform(table.upgrade(to: step)) }
      try finish(connection, step)
    }
    var hasNewSeals = false
    for table in tables where table.lastChange > old {
      if table.isSealed { try connection.perform(table.sealing()) }
      hasNewSeals = hasNewSeals || table.isSealed || table.name == "_sum"
    }
    if hasNewSeals { try sumRows(connection) }
    try connection.perform("PRAGMA user_version = \(version); COMMIT")
  }

  /// Computes the sums of all tables again.
  func sumRows(_ connection: Connection) throws(StoreError) {
    for table in tables { try connection.perform(table.resumming) }
  }
}
