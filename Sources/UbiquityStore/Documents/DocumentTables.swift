internal import StoreFiles

/// The tables of documents: iCloud's side, and what each device has of it.
enum DocumentTables {
  static let document = SealedTable(
    "_document",
    [
      "account", "path", "name", "isFolder", "created", "placed", "placer", "current", "deleted",
      "sequence",
    ])
  static let version = SealedTable(
    "_version",
    [
      "document", "hash", "size", "at", "device", "mode", "isConflict", "isResolved", "since",
      "until",
    ])
  static let replica = SealedTable("_replica", ["account", "name", "seen"])
  static let item = SealedTable(
    "_item",
    [
      "replica", "document", "path", "name", "created", "placed", "known", "base", "hash", "size",
      "at", "device", "mode", "changes", "isWanted", "error",
    ])
  static let member = SealedTable("_member", ["package", "path", "hash", "size", "mode"])
  static let draft = SealedTable("_draft", ["item", "hash", "size", "at", "mode"])
  static let resolution = SealedTable("_resolution", ["item", "version", "keeps"])
  static let open = SealedTable(
    "_open", ["item", "hash", "size", "mode", "changes", "hasError", "base", "origin"])
  static let exclusion = SealedTable("_exclusion", ["replica", "path", "name"])
  static let mount = SealedTable("_mount", ["replica", "mark", "folder"])
  static let file = SealedTable(
    "_file",
    ["mount", "item", "path", "base", "hash", "mode", "size", "modified", "changed", "inode"]
  )
  static let notice = SealedTable("_notice", ["replica", "kind", "path", "detail", "at"])
  static let all = [
    document, version, replica, item, member, draft, resolution, open, exclusion, mount, file,
    notice,
  ]

  /// `_document` is a document in iCloud, or a folder that was deleted; `name` is its path as file
  /// systems compare it. `_version` are its contents: the current ones, and those that lost
  /// (`isConflict`) from the change `since` to the change `until`; without a hash they were not
  /// sent yet. `_replica` is the container on a device, `_item` a document in it: the device knows
  /// the version `known`, and has contents that derive from `base`; `changes` iCloud does not know
  /// of yet. `_member` are the files of a package. `_draft` are versions that lost on the device
  /// itself, `_resolution` decisions that iCloud does not know of. `_open` is an open document with
  /// its unsaved contents. `_file` is what a mount wrote last. `mode` has 1 for what may be run and
  /// 2 for packages.
  static let creation = """
    CREATE TABLE _document(_id INTEGER PRIMARY KEY, account TEXT NOT NULL, path TEXT NOT NULL,
      name TEXT NOT NULL, isFolder INTEGER NOT NULL, created INTEGER NOT NULL,
      placed INTEGER NOT NULL, placer TEXT NOT NULL, current INTEGER, deleted INTEGER,
      sequence INTEGER NOT NULL, seal INTEGER NOT NULL) STRICT;
    CREATE INDEX _document_name ON _document(account, name);
    CREATE INDEX _document_sequence ON _document(account, sequence);
    CREATE INDEX _document_deleted ON _document(account, deleted) WHERE deleted IS NOT NULL;
    CREATE TABLE _version(_id INTEGER PRIMARY KEY, document INTEGER NOT NULL, hash TEXT,
      size INTEGER NOT NULL, at INTEGER NOT NULL, device TEXT NOT NULL, mode INTEGER NOT NULL,
      isConflict INTEGER NOT NULL, isResolved INTEGER NOT NULL, since INTEGER NOT NULL,
      until INTEGER, seal INTEGER NOT NULL) STRICT;
    CREATE INDEX _version_document ON _version(document);
    CREATE INDEX _version_hash ON _version(hash) WHERE hash IS NOT NULL;
    CREATE INDEX _version_incomplete ON _version(document) WHERE hash IS NULL AND until IS NULL;
    CREATE TABLE _replica(_id INTEGER PRIMARY KEY, account TEXT NOT NULL, name TEXT NOT NULL,
      seen INTEGER NOT NULL, seal INTEGER NOT NULL, UNIQUE(account, name)) STRICT;
    CREATE TABLE _item(_id INTEGER PRIMARY KEY, replica INTEGER NOT NULL, document INTEGER,
      path TEXT NOT NULL, name TEXT NOT NULL, created INTEGER NOT NULL, placed INTEGER NOT NULL,
      known INTEGER, base INTEGER, hash TEXT, size INTEGER NOT NULL, at INTEGER NOT NULL,
      device TEXT NOT NULL, mode INTEGER NOT NULL, changes INTEGER NOT NULL,
      isWanted INTEGER NOT NULL, error TEXT, seal INTEGER NOT NULL) STRICT;
    CREATE INDEX _item_name ON _item(replica, name);
    CREATE INDEX _item_path ON _item(replica, path, changes);
    CREATE INDEX _item_document ON _item(replica, document);
    CREATE INDEX _item_changes ON _item(replica) WHERE changes <> 0;
    CREATE INDEX _item_hash ON _item(hash) WHERE hash IS NOT NULL;
    CREATE TABLE _member(_id INTEGER PRIMARY KEY, package TEXT NOT NULL, path TEXT NOT NULL,
      hash TEXT NOT NULL, size INTEGER NOT NULL, mode INTEGER NOT NULL,
      seal INTEGER NOT NULL) STRICT;
    CREATE INDEX _member_package ON _member(package);
    CREATE INDEX _member_hash ON _member(hash);
    CREATE TABLE _draft(_id INTEGER PRIMARY KEY, item INTEGER NOT NULL, hash TEXT NOT NULL,
      size INTEGER NOT NULL, at INTEGER NOT NULL, mode INTEGER NOT NULL,
      seal INTEGER NOT NULL) STRICT;
    CREATE INDEX _draft_item ON _draft(item);
    CREATE INDEX _draft_hash ON _draft(hash);
    CREATE TABLE _resolution(_id INTEGER PRIMARY KEY, item INTEGER NOT NULL,
      version INTEGER NOT NULL, keeps INTEGER NOT NULL, seal INTEGER NOT NULL) STRICT;
    CREATE INDEX _resolution_item ON _resolution(item);
    CREATE TABLE _open(_id INTEGER PRIMARY KEY, item INTEGER NOT NULL, hash TEXT NOT NULL,
      size INTEGER NOT NULL, mode INTEGER NOT NULL, changes INTEGER NOT NULL,
      hasError INTEGER NOT NULL, base INTEGER, origin TEXT NOT NULL, seal INTEGER NOT NULL) STRICT;
    CREATE INDEX _open_item ON _open(item);
    CREATE INDEX _open_hash ON _open(hash);
    CREATE TABLE _exclusion(_id INTEGER PRIMARY KEY, replica INTEGER NOT NULL,
      path TEXT NOT NULL, name TEXT NOT NULL, seal INTEGER NOT NULL) STRICT;
    CREATE INDEX _exclusion_replica ON _exclusion(replica);
    CREATE TABLE _mount(_id INTEGER PRIMARY KEY, replica INTEGER NOT NULL, mark TEXT NOT NULL,
      folder TEXT NOT NULL, seal INTEGER NOT NULL) STRICT;
    CREATE TABLE _file(_id INTEGER PRIMARY KEY, mount INTEGER NOT NULL, item INTEGER NOT NULL,
      path TEXT NOT NULL, base INTEGER, hash TEXT NOT NULL, mode INTEGER NOT NULL,
      size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL,
      inode INTEGER NOT NULL, seal INTEGER NOT NULL) STRICT;
    CREATE INDEX _file_mount ON _file(mount);
    CREATE TABLE _notice(_id INTEGER PRIMARY KEY, replica INTEGER NOT NULL, kind TEXT NOT NULL,
      path TEXT NOT NULL, detail TEXT, at INTEGER NOT NULL, seal INTEGER NOT NULL) STRICT;
    CREATE INDEX _notice_replica ON _notice(replica);
    """

  /// The tables whose rows hold contents by the hash of a file or of a package.
  static let holders = [version, item, draft, open].map(\.name)

  /// All contents that rows hold, as the hashes and sizes of files.
  static let heldAssets =
    holders.map { "SELECT hash, size FROM \($0) WHERE hash IS NOT NULL AND mode & 2 = 0" }
    .joined(separator: " UNION ") + " UNION SELECT hash, size FROM _member"
}
