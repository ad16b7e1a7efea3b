internal import CloudModel
internal import SQLite
internal import StoreFiles

/// The tables that every environment file has, and their version.
///
/// Names of ours begin with `_`, which no CloudKit name may. Record types get a table each when
/// they come into being (`Schema/Catalog.swift`).
enum Migrations {
  /// "CKDB".
  static let applicationID: UInt32 = 0x434B_4442
  static let version: UInt32 = 12
  /// The first version in whose files each page has a checksum (`PageChecksums`).
  static let firstWithPageChecksums: UInt32 = 9
  /// The oldest version that `upgrade` brings here.
  static let oldest: UInt32 = 4

  /// Makes the tables; the first change has a number after a given one.
  static func create(
    on connection: Connection, after sequence: Int64 = 0
  ) throws(SQLiteError) {
    try SealedTable.addFunction(to: connection)
    try connection.execute(
      """
      BEGIN IMMEDIATE;
      PRAGMA application_id = \(applicationID);
      PRAGMA user_version = \(version);
      \(tables)
      INSERT INTO _state VALUES (1, 0, 0, 0);
      CREATE TABLE "Users"(\(systemColumns)) STRICT;
      \(firstRows)
      """)
    try EnvironmentFile.addIncarnation(on: connection)
    try RowSeal.sealAll(on: connection)
    try EnvironmentFile.skip(to: sequence, on: connection)
    try connection.execute("COMMIT")
  }

  /// Brings a file of an older version to this one, all or nothing; its writer's lock is held.
  static func upgrade(_ connection: Connection, from version: UInt32) throws(SQLiteError) {
    try SealedTable.addFunction(to: connection)
    try connection.execute("BEGIN IMMEDIATE")
    if version < 5 {
      for table in sealedTables {
        try connection.execute("ALTER TABLE \(table) ADD COLUMN \(seal)")
      }
    }
    if version < 6 {
      try connection.execute(
        """
        ALTER TABLE _type ADD COLUMN \(grants);
        \(roleTable)
        UPDATE _type SET grants = '\(Grants.ofUsers.text)' WHERE _id = 1;
        """)
    }
    if version < 7 {
      try connection.execute(incarnationTable)
      try EnvironmentFile.addIncarnation(on: connection)
    }
    if version < 8 {
      try widenRealColumns(on: connection)
      try dropSignsInLists(on: connection)
    }
    if version < 10 {
      try connection.execute("ALTER TABLE _tombstone ADD COLUMN share TEXT")
    }
    if version < 11 {
      try connection.execute(sharingTables)
    } else if version < 12 {
      try connection.execute(
        """
        DROP TABLE _cover; \(coverTable)
        INSERT INTO _cover(record, share, type, name) \(EnvironmentStore.allCovers);
        """)
    }
    if version < 12 { try connection.execute(subscriptionTables) }
    try RowSeal.sealAll(on: connection)
    try connection.execute("PRAGMA user_version = \(Self.version); COMMIT")
  }

  /// The type and the zones of the `Users` records, which every file has.
  static let firstRows = """
    INSERT OR IGNORE INTO _type(_id, name, location, grants)
    VALUES (1, 'Users', 'Users', '\(Grants.ofUsers.text)');
    INSERT OR IGNORE INTO _zone(_id, scope, owner, name, made, sequence, records, checksum, bytes)
    VALUES (\(publicUsers), 1, \(systemOwner), '_users', 0, 0, 0, 0, 0),
      (\(privateUsers), 2, \(systemOwner), '_users', 0, 0, 0, 0, 0);
    """

  /// The owner of the zones that hold the records of the system.
  static let systemOwner = -1
  /// The zones of the `Users` records, by their rows.
  static let publicUsers: Int64 = 1
  static let privateUsers: Int64 = 2

  /// - `_state`: a number that grows with the schema; the sequence number up to which deletions
  ///   are forgotten.
  /// - `_user`, `_author`: who has written, and on which devices.
  /// - `_zone`: `scope` 1 public, 2 private; `owner` is the user's row, 0 in the public database,
  ///   -1 for the zones of the `Users` records, which no list shows;
  ///   `made` is the sequence number of its creation, `sequence` that of the last change, the
  ///   greatest of them being the file's; `records` and
  ///   `checksum` are the count and the sum of the checksums of its records, so that a lost row
  ///   shows; `bytes` is what they count towards a quota; `client` is the last client change token.
  /// - `_type`, `_field`: the catalog: where the records of a type and the values of a field are;
  ///   `kept` counts the physical indexes that writers keep up to date, `grants` tells who may do
  ///   what in the public database.
  /// - `_role`: the roles of the app. Who has one is in the records of users.
  /// - `_record`: where the record of a name is: in which type's table and under which `_id`. All
  ///   of it is there, so that an update changes one row and a query reads one table. The `_id` is
  ///   the sequence number of the record's creation: no other record in the file ever has it.
  /// - `_reference`: who points to a name, where that matters when the name goes (`RecordLink`):
  ///   the number, the type and the name of the record that does.
  /// - `_incarnation`: the lives that the file had as a part of other stores and states
  ///   (`Incarnation`).
  /// - `_asset`: how many values of records have contents, by the contents' hash.
  /// - `_tombstone`, `_zone_tombstone`: what was deleted, for the change feeds; `share`
  ///   is the share that the record took part in: the deletion is news for those who took part.
  ///
  /// Where a row has a `seal`, that is the hash of its other columns (`RowSeal`).
  static let tables = """
    CREATE TABLE _state(_id INTEGER PRIMARY KEY, catalog INTEGER NOT NULL,
      forgotten INTEGER NOT NULL, \(seal)) STRICT;
    CREATE TABLE _user(_id INTEGER PRIMARY KEY, account TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL, \(seal)) STRICT;
    CREATE TABLE _author(_id INTEGER PRIMARY KEY, user INTEGER NOT NULL, device TEXT NOT NULL,
      \(seal), UNIQUE(user, device)) STRICT;
    CREATE TABLE _zone(_id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, owner INTEGER NOT NULL,
      name TEXT NOT NULL, made INTEGER NOT NULL, sequence INTEGER NOT NULL,
      records INTEGER NOT NULL, checksum INTEGER NOT NULL, bytes INTEGER NOT NULL,
      client TEXT, \(seal), UNIQUE(scope, owner, name)) STRICT;
    CREATE TABLE _type(_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
      location TEXT NOT NULL, kept INTEGER NOT NULL DEFAULT 0, \(seal),
      \(grants)) STRICT;
    CREATE TABLE _field(_id INTEGER PRIMARY KEY, type INTEGER NOT NULL, name TEXT NOT NULL,
      kind TEXT NOT NULL, location TEXT NOT NULL, indexes INTEGER NOT NULL,
      \(seal), UNIQUE(type, name)) STRICT;
    CREATE TABLE _record(zone INTEGER NOT NULL, name TEXT NOT NULL, type INTEGER NOT NULL,
      _id INTEGER NOT NULL, PRIMARY KEY(zone, name)) STRICT, WITHOUT ROWID;
    CREATE TABLE _reference(zone INTEGER NOT NULL, target TEXT NOT NULL, kind INTEGER NOT NULL,
      source INTEGER NOT NULL, type INTEGER NOT NULL, name TEXT NOT NULL,
      PRIMARY KEY(zone, target, kind, source)) STRICT, WITHOUT ROWID;
    CREATE TABLE _asset(hash TEXT PRIMARY KEY, uses INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX _asset_unused ON _asset(hash) WHERE uses = 0;
    CREATE TABLE _tombstone(zone INTEGER NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
      sequence INTEGER NOT NULL, \(seal), share TEXT,
      PRIMARY KEY(zone, name)) STRICT, WITHOUT ROWID;
    CREATE TABLE _zone_tombstone(scope INTEGER NOT NULL, owner INTEGER NOT NULL,
      name TEXT NOT NULL, sequence INTEGER NOT NULL, reason INTEGER NOT NULL,
      \(seal), PRIMARY KEY(scope, owner, name)) STRICT, WITHOUT ROWID;
    \(roleTable)
    \(incarnationTable)
    \(sharingTables)
    \(subscriptionTables)
    """

  /// - `_share`: what a record of type `cloudkit.share` says besides its fields, under the record's
  ///   number; `root` is nil for a shared zone.
  /// - `_participant`: who takes part in a share, asks to, or is blocked; `user` is his user record
  ///   name, nil for an address that no account had; `token` is that of a one-time URL.
  /// - `_cover`: which share covers a record: for its own, and for those of a shared hierarchy that
  ///   others may hang below. What has no row has the cover of its parent. Writers maintain it, so
  ///   that a query in the shared database is the same query with one more condition. It is a
  ///   table, not a column: a record that nobody shares pays nothing.
  /// - `_window`: the zones that a user sees in the shared database: since which sequence number,
  ///   and until which; nil until now. `owner` and `name` outlive the zone.
  /// - `_visibility`: the records that a user gained or lost in such a zone although they did not
  ///   change: his feed reports them.
  private static let sharingTables = """
    CREATE TABLE _share(_id INTEGER PRIMARY KEY, zone INTEGER NOT NULL, name TEXT NOT NULL,
      root TEXT, token TEXT NOT NULL, permission INTEGER NOT NULL, requests INTEGER NOT NULL,
      \(seal), UNIQUE(zone, name)) STRICT;
    CREATE TABLE _participant(_id INTEGER PRIMARY KEY, share INTEGER NOT NULL,
      participant TEXT NOT NULL, user TEXT, address TEXT, role INTEGER NOT NULL,
      permission INTEGER NOT NULL, status INTEGER NOT NULL, added INTEGER NOT NULL,
      token TEXT, requester INTEGER NOT NULL, account TEXT, \(seal)) STRICT;
    CREATE INDEX _participant_share ON _participant(share, user);
    CREATE INDEX _participant_user ON _participant(user);
    \(coverTable)
    CREATE TABLE _window(user TEXT NOT NULL, owner TEXT NOT NULL, name TEXT NOT NULL,
      zone INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER, \(seal),
      PRIMARY KEY(user, owner, name)) STRICT, WITHOUT ROWID;
    CREATE TABLE _visibility(user TEXT NOT NULL, zone INTEGER NOT NULL, name TEXT NOT NULL,
      type TEXT NOT NULL, sequence INTEGER NOT NULL, gained INTEGER NOT NULL, \(seal),
      PRIMARY KEY(user, zone, name)) STRICT, WITHOUT ROWID;
    CREATE INDEX _visibility_sequence ON _visibility(user, zone, sequence);
    """

  /// - `_subscription`: who wants to be told of which changes.
  /// - `_notification`: what was sent, one row for all devices of a user but `device`, which made
  ///   the change itself. The numbers go on where rows are deleted, and after a restore: a row of
  ///   nobody keeps the greatest one. One that a fault holds back has its user's negated number.
  /// - `_inbox`: what a device of a user has seen: up to `cleared` it has forgotten, after `held`
  ///   nothing reaches it while it is offline, `badges` are those that were set.
  private static let subscriptionTables = """
    CREATE TABLE _subscription(_id INTEGER PRIMARY KEY, user INTEGER NOT NULL,
      scope INTEGER NOT NULL, name TEXT NOT NULL, kind INTEGER NOT NULL, zone TEXT, type TEXT,
      predicate TEXT NOT NULL, events INTEGER NOT NULL, once INTEGER NOT NULL, info TEXT,
      \(seal), UNIQUE(user, scope, name)) STRICT;
    CREATE TABLE _notification(_id INTEGER PRIMARY KEY, user INTEGER NOT NULL, device TEXT,
      subscription TEXT NOT NULL, kind INTEGER NOT NULL, scope INTEGER NOT NULL, zone TEXT,
      owner TEXT, record TEXT, reason INTEGER, read INTEGER NOT NULL, at INTEGER NOT NULL,
      contents TEXT NOT NULL, \(seal)) STRICT;
    CREATE INDEX _notification_held ON _notification(user) WHERE user < 0;
    CREATE TABLE _inbox(user INTEGER NOT NULL, device TEXT NOT NULL, cleared INTEGER NOT NULL,
      held INTEGER, badges TEXT NOT NULL, \(seal), PRIMARY KEY(user, device))
      STRICT, WITHOUT ROWID;
    """

  private static let coverTable = """
    CREATE TABLE _cover(record INTEGER PRIMARY KEY, share INTEGER NOT NULL,
      type INTEGER NOT NULL, name TEXT NOT NULL) STRICT;
    CREATE INDEX _cover_share ON _cover(share);
    """

  private static let seal = "seal INTEGER NOT NULL DEFAULT 0"
  /// The tables of format 5 whose rows have seals.
  private static let sealedTables = [
    "_state", "_user", "_author", "_zone", "_type", "_field", "_tombstone", "_zone_tombstone",
  ]
  private static let grants = "grants TEXT NOT NULL DEFAULT '\(Grants.ofNewType.text)'"
  private static let roleTable = """
    CREATE TABLE _role(name TEXT PRIMARY KEY, \(seal)) STRICT, WITHOUT ROWID;
    """
  private static let incarnationTable = """
    CREATE TABLE _incarnation(_id INTEGER PRIMARY KEY, identity INTEGER NOT NULL, until INTEGER,
      \(seal)) STRICT;
    """

  /// The columns of a type's table before those of its fields.
  static let systemColumns = """
    _id INTEGER PRIMARY KEY, _zone INTEGER NOT NULL, _name TEXT NOT NULL,
    _sequence INTEGER NOT NULL,
    _created INTEGER NOT NULL, _creator INTEGER NOT NULL, _modified INTEGER NOT NULL,
    _modifier INTEGER NOT NULL, _parent TEXT, _share TEXT, _checksum INTEGER NOT NULL
    """
}
