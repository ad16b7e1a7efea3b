internal import SQLite
public import StoreFiles

/// The tables of the key-value store, on the server and on each device.
enum UbiquityTables {
  /// "CKDU".
  static let applicationID: UInt32 = 0x434B_4455
  static let version: UInt32 = 3

  /// All tables, including those of documents.
  static let all = [state, device, entry, server, event] + DocumentTables.all + [sum]

  /// What the copy of the catalog contains: no key or document can be read without these rows.
  static let catalog: [(table: String, columns: [String])] = [
    ("_state", ["_id", "sequence", "limits", "policy", "rate"]),
    ("_device", ["_id", "account", "name", "seen", "synchronized", "isCurrent", "free"]),
    ("_replica", ["_id", "account", "name", "seen"]),
  ]

  static let sum = Table.sums(since: 3)

  static let state = Table(
    "_state", "The number of the last change, and how the key-value store behaves", since: 1,
    [.integer("sequence"), .text("limits"), .text("policy"), .optionalText("rate"), .seal()],
    salvage: .kept)

  /// `account` is empty for keys that were written while no account was signed in. The copy on a
  /// device where another account signed in later is not current.
  static let device = Table(
    "_device", "The copy of an account's key-value store on a device", since: 1,
    [
      .text("account"), .text("name"), .integer("seen"), .integer("synchronized"),
      .integer("isCurrent"), .integer("free"), .seal(),
    ], unique: ["account", "name"], owner: .all, salvage: .kept)

  /// `value` is JSON with types, NULL for a key that was removed.
  static let entry = Table(
    "_entry", "A key on a device", since: 1,
    [
      .integer("device"), .text("key"), .optionalText("value"), .integer("size"), .integer("at"),
      .text("writer"), .integer("isPending"), .seal(),
    ], unique: ["device", "key"],
    indexes: [TableIndex("_entry_pending", "device", where: "isPending")],
    owner: .column("device"), salvage: .kept)

  /// `value` as in `_entry`.
  static let server = Table(
    "_server", "A key in iCloud", since: 1,
    [
      .text("account"), .text("key"), .optionalText("value"), .integer("size"), .integer("at"),
      .text("device"), .integer("sequence"), .seal(),
    ], unique: ["account", "key"],
    indexes: [TableIndex("_server_sequence", "account, sequence")], owner: .column("account"),
    salvage: .kept)

  static let event = Table(
    "_event", "A change of keys that the apps of a device hear of", since: 1,
    [.integer("device"), .integer("reason"), .text("keys"), .integer("at"), .seal()],
    indexes: [TableIndex("_event_device", "device")], owner: .column("device"), salvage: .kept)
}

extension DatabaseFormat {
  /// The database of a container's key-value store and documents.
  public static let ubiquity = DatabaseFormat(
    name: "ubiquity", applicationID: UbiquityTables.applicationID,
    version: UbiquityTables.version, oldest: 1,
    lastSequence: "SELECT sequence FROM _state",
    // One statement moves all keys; its statement journal does not need a file.
    writerSwitches: "PRAGMA temp_store = MEMORY", tables: UbiquityTables.all,
    catalog: UbiquityTables.catalog,
    heldAssets: DocumentTables.heldAssets,
    fill: { (connection, sequence) throws(StoreError) in
      try connection.perform(
        """
        INSERT OR IGNORE INTO _state(_id, sequence, limits, policy, seal)
        VALUES (1, \(sequence), 'seed', 'timestamp', 0)
        """)
    },
    forget: { (connection, hash) throws(StoreError) in
      try connection.perform(DocumentTables.forgetting(hash))
    },
    advance: { (connection, sequence) throws(StoreError) in
      try connection.perform(
        UbiquityTables.state.update(["sequence": "max(sequence, \(sequence))"]))
    })
}

extension DatabaseKind {
  /// The databases of key-value stores and documents.
  public static let ubiquity = DatabaseKind(
    .ubiquity, doctor: { Doctor(OpenDatabase.self, $0, patience: $1, $2) })
}
