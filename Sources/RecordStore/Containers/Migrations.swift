internal import CloudModel
internal import SQLite
internal import StoreFiles

/// The format of an environment's database, and what an upgrade does apart from the steps that its
/// tables describe.
enum Migrations {
  /// "CKDB".
  static let applicationID: UInt32 = 0x434B_4442
  static let version: UInt32 = 15
  /// The first version in whose files each page has a checksum (`PageChecksums`).
  static let firstWithPageChecksums: UInt32 = 9
  /// The oldest version that can be upgraded.
  static let oldest: UInt32 = 4

  /// Fills the tables of a new database; the first change has a number after a given one.
  static func fill(_ connection: Connection, after sequence: Int64) throws(StoreError) {
    try connection.perform(
      """
      INSERT INTO _state(_id, catalog, forgotten) VALUES (1, 0, 0);
      CREATE TABLE "Users"(\(systemColumns)) STRICT;
      \(firstRows)
      """)
    try EnvironmentFile.addIncarnation(on: connection)
    try EnvironmentFile.skip(to: sequence, on: connection)
  }

  /// The type and the zones of the `Users` records, which every file has.
  static let firstRows = """
    INSERT OR IGNORE INTO _type(_id, name, location, grants)
    VALUES (1, 'Users', 'Users', '\(Grants.ofUsers.text)');
    INSERT OR IGNORE INTO _zone(_id, scope, owner, name, made, sequence, records, checksum, bytes)
    VALUES (\(publicUsers), 1, \(systemOwner), '_users', 0, 0, 0, 0, 0),
      (\(privateUsers), 2, \(systemOwner), '_users', 0, 0, 0, 0, 0);
    """

  /// The owner of the zones for the system's records.
  static let systemOwner = -1
  /// The zones of the `Users` records, by their rows.
  static let publicUsers: Int64 = 1
  static let privateUsers: Int64 = 2

  /// The columns of a type's table before those of its fields.
  static let systemColumns = """
    _id INTEGER PRIMARY KEY, _zone INTEGER NOT NULL, _name TEXT NOT NULL,
    _sequence INTEGER NOT NULL,
    _created INTEGER NOT NULL, _creator INTEGER NOT NULL, _modified INTEGER NOT NULL,
    _modifier INTEGER NOT NULL, _parent TEXT, _share TEXT, _checksum INTEGER NOT NULL
    """
}
