internal import StoreFiles

/// The tables of documents: iCloud's side, and the copies of each device.
///
/// `name` is a path as file systems compare it. `mode` is 1 for executable contents and 2 for
/// packages.
enum DocumentTables {
  static let all = [
    document, version, replica, item, member, draft, resolution, open, exclusion, mount, file,
    notice,
  ]

  /// The tables whose rows have contents by the hash of a file or of a package.
  static let holders = [version, item, draft, open].map(\.name)

  /// The hashes and sizes of all files that rows name.
  static let heldAssets =
    holders.map { "SELECT hash, size FROM \($0) WHERE hash IS NOT NULL AND mode & 2 = 0" }
    .joined(separator: " UNION ") + " UNION SELECT hash, size FROM _member"

  /// SQL that removes the contents of a hash, and packages with such a file, from all rows. A
  /// document in iCloud stays, without contents; one that iCloud never had is lost with them.
  static func forgetting(_ hash: String) -> String {
    let isLost =
      "(hash = '\(hash)' OR hash IN (SELECT package FROM _member WHERE hash = '\(hash)'))"
    return """
      DELETE FROM _item WHERE document IS NULL AND \(isLost);
      UPDATE _item SET hash = NULL, changes = changes & ~1 WHERE \(isLost);
      UPDATE _version SET hash = NULL WHERE \(isLost);
      DELETE FROM _draft WHERE \(isLost);
      DELETE FROM _open WHERE \(isLost);
      DELETE FROM _member WHERE package IN (SELECT package FROM _member WHERE hash = '\(hash)');
      """
  }

  // MARK: In iCloud

  static let document = Table(
    "_document", "A document in iCloud, or a folder that was deleted there", since: 2,
    [
      .text("account"), .text("path"), .text("name"), .integer("isFolder"), .integer("created"),
      .integer("placed"), .text("placer"), .optionalInteger("current"),
      .optionalInteger("deleted"), .integer("sequence"), .seal(),
    ],
    indexes: [
      TableIndex("_document_name", "account, name"),
      TableIndex("_document_sequence", "account, sequence"),
      TableIndex("_document_deleted", "account, deleted", where: "deleted IS NOT NULL"),
    ], owner: .column("account"), salvage: .kept)

  /// The current version of a document, and those that lost (`isConflict`) from the change `since`
  /// to the change `until`. Without a hash the contents were not sent yet.
  static let version = Table(
    "_version", "A version of a document in iCloud", since: 2,
    [
      .integer("document"), .optionalText("hash"), .integer("size"), .integer("at"),
      .text("device"), .integer("mode"), .integer("isConflict"), .integer("isResolved"),
      .integer("since"), .optionalInteger("until"), .seal(),
    ],
    indexes: [
      TableIndex("_version_document", "document"),
      TableIndex("_version_hash", "hash", where: "hash IS NOT NULL"),
      TableIndex("_version_incomplete", "document", where: "hash IS NULL AND until IS NULL"),
    ], owner: .all, salvage: .kept)

  // MARK: On devices

  static let replica = Table(
    "_replica", "The documents of an account on a device", since: 2,
    [.text("account"), .text("name"), .integer("seen"), .seal()], unique: ["account", "name"],
    owner: .all, salvage: .kept)

  /// The device knows the version `known`, and has contents that derive from `base`. iCloud does
  /// not have the `changes` yet.
  static let item = Table(
    "_item", "A document on a device", since: 2,
    [
      .integer("replica"), .optionalInteger("document"), .text("path"), .text("name"),
      .integer("created"), .integer("placed"), .optionalInteger("known"), .optionalInteger("base"),
      .optionalText("hash"), .integer("size"), .integer("at"), .text("device"), .integer("mode"),
      .integer("changes"), .integer("isWanted"), .optionalText("error"), .seal(),
    ],
    indexes: [
      TableIndex("_item_name", "replica, name"), TableIndex("_item_path", "replica, path, changes"),
      TableIndex("_item_document", "replica, document"),
      TableIndex("_item_changes", "replica", where: "changes <> 0"),
      TableIndex("_item_hash", "hash", where: "hash IS NOT NULL"),
    ], owner: .column("replica"), salvage: .kept)

  static let member = Table(
    "_member", "A file of a package", since: 2,
    [
      .text("package"), .text("path"), .text("hash"), .integer("size"), .integer("mode"), .seal(),
    ],
    indexes: [TableIndex("_member_package", "package"), TableIndex("_member_hash", "hash")],
    owner: .all, salvage: .kept)

  static let draft = Table(
    "_draft", "A version that lost on the device itself", since: 2,
    [.integer("item"), .text("hash"), .integer("size"), .integer("at"), .integer("mode"), .seal()],
    indexes: [TableIndex("_draft_item", "item"), TableIndex("_draft_hash", "hash")],
    owner: .all, salvage: .kept)

  static let resolution = Table(
    "_resolution", "A decision about a version that iCloud does not have yet", since: 2,
    [.integer("item"), .integer("version"), .integer("keeps"), .seal()],
    indexes: [TableIndex("_resolution_item", "item")], owner: .all, salvage: .kept)

  static let open = Table(
    "_open", "A document that an app has open, with its unsaved contents", since: 2,
    [
      .integer("item"), .text("hash"), .integer("size"), .integer("mode"), .integer("changes"),
      .integer("hasError"), .optionalInteger("base"), .text("origin"), .seal(),
    ], indexes: [TableIndex("_open_item", "item"), TableIndex("_open_hash", "hash")],
    owner: .all, salvage: .kept)

  static let exclusion = Table(
    "_exclusion", "A path that the backups of a device leave out", since: 2,
    [.integer("replica"), .text("path"), .text("name"), .seal()],
    indexes: [TableIndex("_exclusion_replica", "replica")], owner: .column("replica"),
    salvage: .kept)

  static let mount = Table(
    "_mount", "A folder that has the documents of a device as plain files", since: 2,
    [.integer("replica"), .text("mark"), .text("folder"), .seal()], owner: .all, salvage: .kept)

  static let file = Table(
    "_file", "A file as a mount wrote or read it last", since: 2,
    [
      .integer("mount"), .integer("item"), .text("path"), .optionalInteger("base"), .text("hash"),
      .integer("mode"), .integer("size"), .integer("modified"), .integer("changed"),
      .integer("inode"), .seal(),
    ], indexes: [TableIndex("_file_mount", "mount")], owner: .column("mount"), salvage: .kept)

  static let notice = Table(
    "_notice", "An event of a document on a device", since: 2,
    [
      .integer("replica"), .text("kind"), .text("path"), .optionalText("detail"), .integer("at"),
      .seal(),
    ], indexes: [TableIndex("_notice_replica", "replica")], owner: .column("replica"),
    salvage: .kept)
}
