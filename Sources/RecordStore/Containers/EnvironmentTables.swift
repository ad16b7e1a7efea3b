internal import StoreFiles

/// The tables of every environment's database. Each record type gets a table of its own when it is
/// created (`Schema/Catalog.swift`).
///
/// Rows that can be derived from others (`_record`, `_reference`, `_asset`, `_cover`) have no seal.
enum EnvironmentTables {
  /// All of them; those that others refer to come first, as a salvage copies them in this order.
  static let all = [
    state, user, author, zone, type, field, record, reference, asset, share, participant, cover,
    subscription, notification, tombstone, zoneTombstone, role, incarnation, window, visibility,
    inbox, subscriptionType, remote, remoteZone, remoteRecord, remoteAsset,
  ]

  /// What the copy of the catalog contains: no record can be read without these rows.
  static let catalog: [(table: String, columns: [String])] = [
    ("_user", ["_id", "account", "name"]),
    ("_author", ["_id", "user", "device"]),
    ("_zone", ["_id", "scope", "owner", "name", "made"]),
    ("_type", ["_id", "name", "location", "grants"]),
    ("_field", ["_id", "type", "name", "kind", "location", "indexes"]),
  ]

  /// `catalog` grows with every change of the schema.
  static let state = Table(
    "_state", "The version of the schema, and the last change whose deletions are forgotten",
    since: 4, [.integer("catalog"), .integer("forgotten"), seal], salvage: .rebuilt)

  static let user = Table(
    "_user", "An account that has written into the environment, with its user record name",
    since: 4, [.text("account", isUnique: true), .text("name"), seal], salvage: .keptAsRead)

  /// Creators and modifiers of records are authors.
  static let author = Table(
    "_author", "A user on a device", since: 4, [.integer("user"), .text("device"), seal],
    unique: ["user", "device"], salvage: .keptAsRead)

  /// `scope` is 1 for the public and 2 for private databases. `owner` is the user's row, 0 in the
  /// public database, -1 for the zones of the `Users` records, which no list shows. `made` is the
  /// sequence number of the zone's creation, `sequence` that of its last change; the greatest is
  /// the file's. `records` and `checksum` are the count and the sum of its records' checksums, so
  /// that a lost row shows. `bytes` counts towards a quota. `client` is the last client change
  /// token. `types` has the sums over the records of each type (`TypeExtents`).
  static let zone = Table(
    "_zone", "A zone, with the count, checksum and size of its records", since: 4,
    [
      .integer("scope"), .integer("owner"), .text("name"), .integer("made"), .integer("sequence"),
      .integer("records"), .integer("checksum"), .integer("bytes"), .optionalText("client"), seal,
      .text("types", default: "''", since: 13),
    ], unique: ["scope", "owner", "name"], salvage: .keptAsRead)

  /// `kept` counts the physical indexes that writers keep up to date.
  static let type = Table(
    "_type", "A record type: the table of its records, and the grants of security roles", since: 4,
    [
      .text("name", isUnique: true), .text("location"), .integer("kept", default: "0"), seal,
      .text("grants", default: "'\(grantsOfTypes)'", since: 6),
    ], salvage: .keptAsRead)
  private static let grantsOfTypes = #"{"_creator":"WRITE","_icloud":"CREATE","_world":"READ"}"#

  static let field = Table(
    "_field", "A field of a record type: its type, columns and declared indexes", since: 4,
    [
      .integer("type"), .text("name"), .text("kind"), .text("location"), .integer("indexes"), seal,
    ], unique: ["type", "name"], salvage: .keptAsRead)

  /// An update thus changes one row, and a query reads one table. `_id` is the sequence number of
  /// the record's creation and is never used again in the file.
  static let record = Table(
    "_record", "The type and the row of the record of a name", since: 4,
    key: .columns(["zone", "name"]),
    [.integer("zone"), .text("name"), .integer("type"), .integer("_id")], salvage: .rebuilt)

  /// Only references that matter when their target is deleted (`RecordLink`).
  static let reference = Table(
    "_reference", "A record that refers to a name", since: 4,
    key: .columns(["zone", "target", "kind", "source"]),
    [
      .integer("zone"), .text("target"), .integer("kind"), .integer("source"), .integer("type"),
      .text("name"),
    ], salvage: .rebuilt)

  static let asset = Table(
    "_asset", "How many values of records have the contents of a hash", since: 4, key: .first,
    [.text("hash"), .integer("uses")],
    indexes: [TableIndex("_asset_unused", "hash", where: "uses = 0")], salvage: .rebuilt)

  /// `share` is the share that covered the record: its participants must see the deletion.
  static let tombstone = Table(
    "_tombstone", "A deleted record, for change feeds", since: 4, key: .columns(["zone", "name"]),
    [
      .integer("zone"), .text("name"), .text("type"), .integer("sequence"), seal,
      .optionalText("share", since: 10),
    ], salvage: .kept)

  static let zoneTombstone = Table(
    "_zone_tombstone", "A deleted zone, for change feeds", since: 4,
    key: .columns(["scope", "owner", "name"]),
    [
      .integer("scope"), .integer("owner"), .text("name"), .integer("sequence"), .integer("reason"),
      seal,
    ], salvage: .kept)

  /// The records of users say who has which role.
  static let role = Table(
    "_role", "A security role of the app", since: 6, key: .first, [.text("name"), firstSeal],
    salvage: .kept)

  static let incarnation = Table(
    "_incarnation", "A life of the file as a part of another store or state",
    since: 7, [.integer("identity"), .optionalInteger("until"), firstSeal], salvage: .rebuilt)

  // MARK: Sharing

  /// `_id` is the record's; `root` is NULL for a shared zone.
  static let share = Table(
    "_share", "The share of a record of type cloudkit.share", since: 11,
    [
      .integer("zone"), .text("name"), .optionalText("root"), .text("token"),
      .integer("permission"), .integer("requests"), firstSeal,
    ], unique: ["zone", "name"], salvage: .kept)

  /// `user` is a user record name, NULL for an address without an account. `token` is that of a
  /// one-time URL.
  static let participant = Table(
    "_participant", "A user who takes part in a share, asks to, or is blocked", since: 11,
    [
      .integer("share"), .text("participant"), .optionalText("user"), .optionalText("address"),
      .integer("role"), .integer("permission"), .integer("status"), .integer("added"),
      .optionalText("token"), .integer("requester"), .optionalText("account"), firstSeal,
    ],
    indexes: [
      TableIndex("_participant_share", "share, user"), TableIndex("_participant_user", "user"),
    ], salvage: .kept)

  /// A record without a row has the cover of its parent. Writers maintain it, so that a query in
  /// the shared database is the same query with one more condition. It is a table, not a column: a
  /// record that is not shared costs nothing.
  static let cover = Table(
    "_cover", "The share that covers a record", since: 11, key: .number("record"),
    [.integer("share"), .integer("type"), .text("name")],
    indexes: [TableIndex("_cover_share", "share")], salvage: .rebuilt)

  /// The zone is visible from the change `since` to the change `until`, NULL while it still is.
  /// `owner` and `name` outlive the zone.
  static let window = Table(
    "_window", "A zone that a user sees in the shared database", since: 11,
    key: .columns(["user", "owner", "name"]),
    [
      .text("user"), .text("owner"), .text("name"), .integer("zone"), .integer("since"),
      .optionalInteger("until"), firstSeal,
    ], salvage: .kept)

  /// The user's feed reports it although the record did not change.
  static let visibility = Table(
    "_visibility", "A record that a user gained or lost in the shared database", since: 11,
    key: .columns(["user", "zone", "name"]),
    [
      .text("user"), .integer("zone"), .text("name"), .text("type"), .integer("sequence"),
      .integer("gained"), firstSeal,
    ], indexes: [TableIndex("_visibility_sequence", "user, zone, sequence")], salvage: .kept)

  // MARK: Subscriptions

  static let subscription = Table(
    "_subscription", "A subscription of a user", since: 12,
    [
      .integer("user"), .integer("scope"), .text("name"), .integer("kind"), .optionalText("zone"),
      .optionalText("type"), .text("predicate"), .integer("events"), .integer("once"),
      .optionalText("info"), firstSeal,
    ], unique: ["user", "scope", "name"], salvage: .kept)

  /// Production takes only subscriptions of these types (R1.2.14).
  static let subscriptionType = Table(
    "_subscription_type", "A type of query subscriptions that was made or deployed", since: 14,
    key: .columns(["type", "events"]), [.text("type"), .integer("events"), firstSeal],
    salvage: .kept)

  /// One row for all devices of a user except `device`, which made the change. Numbers are never
  /// used again, even after deletions or a restore: a row of user 0 keeps the greatest one. A
  /// notification that a fault delays has the negated number of its user.
  static let notification = Table(
    "_notification", "A notification that was sent to a user", since: 12,
    [
      .integer("user"), .optionalText("device"), .text("subscription"), .integer("kind"),
      .integer("scope"), .optionalText("zone"), .optionalText("owner"), .optionalText("record"),
      .optionalInteger("reason"), .integer("read"), .integer("at"), .text("contents"), firstSeal,
    ], indexes: [TableIndex("_notification_held", "user", where: "user < 0")], salvage: .kept)

  /// `cleared` is the last notification that the device has forgotten. While the device is offline,
  /// it receives nothing after `held`. `badges` are those that were set.
  static let inbox = Table(
    "_inbox", "What a device of a user has seen of its notifications", since: 12,
    key: .columns(["user", "device"]),
    [
      .integer("user"), .text("device"), .integer("cleared"), .optionalInteger("held"),
      .text("badges"), firstSeal,
    ], salvage: .kept)

  // MARK: Remotes

  /// `identity` is the remote's address, database and user. `token` is that of its feed of zones.
  /// `incarnation` is that of this file when it was pulled last: after a restored snapshot it
  /// differs. `sent` names the records of a request whose answer is not known yet.
  static let remote = Table(
    "_remote", "A database of another server that this one is pulled from or pushed to", since: 15,
    [
      .text("identity"), .integer("scope"), .integer("owner"), .optionalText("token"),
      .integer("incarnation"), .optionalText("sent"), firstSeal,
    ], unique: ["identity", "scope", "owner"], salvage: .keptAsRead)

  /// `type` is empty for the zone itself. Other rows are the progress of a query for the records
  /// of a type, for zones without a feed. `token` continues the feed or the query. `round` is
  /// increased by each that starts anew; records that it has not met are deleted there. `pending`
  /// is 1 until it is at its end.
  static let remoteZone = Table(
    "_remote_zone", "A zone of a remote database, or the records of a type in it", since: 15,
    [
      .integer("remote"), .text("name"), .text("type"), .optionalText("token"), .integer("round"),
      .integer("pending"), firstSeal,
    ], unique: ["remote", "name", "type"], salvage: .keptAsRead)

  /// What both sides had in common: the change tag there, the sequence number and the sums of the
  /// contents here. `assets` is the sum of the assets alone. `newer` is the tag of a version there
  /// that was not taken over, because the record was changed here, too; empty for its deletion.
  static let remoteRecord = Table(
    "_remote_record", "The version of a record that a remote and this store had in common",
    since: 15, key: .columns(["zone", "name"]),
    [
      .integer("zone"), .text("name"), .integer("type"), .text("tag"), .integer("sequence"),
      .integer("checksum"), .integer("assets"), .integer("round"), .optionalText("newer"),
      firstSeal,
    ], salvage: .kept)

  /// The service's checksum of a file is a name, not a digest (web-services.md, §4).
  static let remoteAsset = Table(
    "_remote_asset", "The contents that a remote's checksum of an asset names", since: 15,
    key: .columns(["remote", "checksum"]),
    [.integer("remote"), .text("checksum"), .text("hash"), .integer("size"), firstSeal],
    salvage: .kept)

  /// Tables of version 4 got seals in version 5.
  private static let seal = Column.seal(default: "0", since: 5)
  private static let firstSeal = Column.seal(default: "0")
}
