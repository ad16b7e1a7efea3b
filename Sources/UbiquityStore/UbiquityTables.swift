internal import SQLite
public import StoreFiles

/// The tables of the other half of iCloud: the key-value store, and documents (`DocumentTables`),
/// on the server and on each device.
enum UbiquityTables {
  /// "CKDU".
  static let applicationID: UInt32 = 0x434B_4455
  static let version: UInt32 = 2

  static let state = SealedTable("_state", ["sequence", "limits", "policy", "rate"])
  static let device = SealedTable(
    "_device", ["account", "name", "seen", "synchronized", "isCurrent", "free"])
  static let entry = SealedTable(
    "_entry", ["device", "key", "value", "size", "at", "writer", "isPending"])
  static let server = SealedTable(
    "_server", ["account", "key", "value", "size", "at", "device", "sequence"])
  static let event = SealedTable("_event", ["device", "reason", "keys", "at"])
  static let all = [state, device, entry, server, event] + DocumentTables.all

  /// `_device` is a copy of an account's store on a device, `''` for nobody's; the copy of a device
  /// on which another account was signed in later is not current. `_entry` holds its keys,
  /// `_server` those of iCloud; a value is JSON with types, NULL for a key that was removed.
  static let creation = """
    CREATE TABLE _state(_id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, limits TEXT NOT NULL,
      policy TEXT NOT NULL, rate TEXT, seal INTEGER NOT NULL) STRICT;
    CREATE TABLE _device(_id INTEGER PRIMARY KEY, account TEXT NOT NULL, name TEXT NOT NULL,
      seen INTEGER NOT NULL, synchronized INTEGER NOT NULL, isCurrent INTEGER NOT NULL,
      free INTEGER NOT NULL, seal INTEGER NOT NULL, UNIQUE(account, name)) STRICT;
    CREATE TABLE _entry(_id INTEGER PRIMARY KEY, device INTEGER NOT NULL, key TEXT NOT NULL,
      value TEXT, size INTEGER NOT NULL, at INTEGER NOT NULL, writer TEXT NOT NULL,
      isPending INTEGER NOT NULL, seal INTEGER NOT NULL, UNIQUE(device, key)) STRICT;
    CREATE INDEX _entry_pending ON _entry(device) WHERE isPending;
    CREATE TABLE _server(_id INTEGER PRIMARY KEY, account TEXT NOT NULL, key TEXT NOT NULL,
      value TEXT, size INTEGER NOT NULL, at INTEGER NOT NULL, device TEXT NOT NULL,
      sequence INTEGER NOT NULL, seal INTEGER NOT NULL, UNIQUE(account, key)) STRICT;
    CREATE INDEX _server_sequence ON _server(account, sequence);
    CREATE TABLE _event(_id INTEGER PRIMARY KEY, device INTEGER NOT NULL, reason INTEGER NOT NULL,
      keys TEXT NOT NULL, at INTEGER NOT NULL, seal INTEGER NOT NULL) STRICT;
    CREATE INDEX _event_device ON _event(device);
    """
}

extension DatabaseFormat {
  /// The database of a container's key-value store and documents.
  public static let ubiquity = DatabaseFormat(
    name: "ubiquity", applicationID: UbiquityTables.applicationID,
    version: UbiquityTables.version, oldest: 1,
    lastSequence: "SELECT sequence FROM _state",
    // One statement moves all keys; its statement journal is not worth a temporary file.
    writerSwitches: "PRAGMA temp_store = MEMORY", tables: UbiquityTables.all,
    hasAssets: true, heldAssets: DocumentTables.heldAssets,
    create: { (connection, sequence) throws(SQLiteError) in
      try SealedTable.addFunction(to: connection)
      try connection.execute(
        """
        BEGIN IMMEDIATE;
        PRAGMA application_id = \(UbiquityTables.applicationID);
        PRAGMA user_version = \(UbiquityTables.version);
        \(UbiquityTables.creation)
        \(DocumentTables.creation)
        INSERT INTO _state VALUES (1, \(sequence), 'seed', 'timestamp', NULL, 0);
        """)
      try UbiquityTables.state.sealAll(on: connection)
      try connection.execute("COMMIT")
    },
    upgrade: { (connection, _) throws(SQLiteError) in
      try connection.execute(
        """
        BEGIN IMMEDIATE;
        \(DocumentTables.creation)
        PRAGMA user_version = \(UbiquityTables.version);
        COMMIT
        """)
    },
    advance: { (connection, sequence) throws(SQLiteError) in
      try connection.execute(
        """
        UPDATE _state SET sequence = max(sequence, \(sequence)),
          seal = ckdb_seal(max(sequence, \(sequence)), limits, policy, rate)
        """)
    })
}
