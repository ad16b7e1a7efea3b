internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import SQLite
internal import StoreFiles
internal import TestSupport

@testable internal import RecordStore
@testable internal import StoreHome

/// A store with some of everything, whose files are then damaged.
final class DamagedStore {
  private let fixture: ContainerFixture
  /// The sound contents of every file of the environment.
  private let sound: [String: [UInt8]]
  /// The records of the sound store.
  let records: [String]
  let soundIncarnations: [Incarnation]
  let contents: Asset

  init() throws {
    fixture = try ContainerFixture()
    contents = try Self.fill(fixture.open())
    sound = try Self.files(of: fixture.folder)
    records = try Self.records(in: fixture.folder)
    soundIncarnations = try fixture.open().incarnations()
  }

  var store: StoreDirectory { fixture.store }
  var container: ContainerID { fixture.container }
  var folder: String { fixture.folder }
  var file: EnvironmentFile { EnvironmentFile(folder: folder) }
  var databasePath: String { file.databasePath }

  // MARK: Contents

  private static func fill(_ store: EnvironmentStore) throws -> Asset {
    let source = store.file.folder + "/../source"
    try FileSystem.replace(source, with: Array("hello".utf8))
    let draft = try store.assets.draft(from: FileHandle(open: source, 0))
    try FileSystem.remove(source)
    try store.beginWrite()
    let notes = try store.type(
      "Note",
      [
        ("text", FieldType(.string)), ("tags", FieldType(.string, isList: true)),
        ("n", FieldType(.int64)), ("up", FieldType(.reference)), ("file", FieldType(.asset)),
        ("place", FieldType(.location)),
      ])
    let items = try store.type("Item", [("d", FieldType(.bytes)), ("w", FieldType(.double))])
    for index in 0..<60 {
      var fields: [(String, FieldValue)] = [
        ("text", .string("to do number \(index)")), ("n", .int64(Int64(index))),
        ("tags", .list([.string("a"), .string("b\(index)")])),
      ]
      if index > 0 {
        let target = Reference(RecordName(stored: "n\(index / 2)"), action: .deleteSelf)
        fields.append(("up", .reference(target)))
      }
      _ = try store.insert(record("n\(index)", "Note", zone: "Notes", fields), notes)
      let bytes = FieldValue.bytes(Array(repeating: UInt8(index), count: 90))
      _ = try store.insert(
        record("i\(index)", "Item", [("d", bytes), ("w", .double(Double(index) / 3))]), items)
    }
    try store.assets.keep(draft)
    _ = try store.insert(
      record("with", "Note", zone: "Notes", [("file", .asset(draft.asset))]), notes)
    let zone = try store.zone("_defaultZone")
    let dead = ["i3", "i4"].compactMap { name in
      try? store.record(RecordName(stored: name), in: zone)
    }
    try DoomedRecords(dead, in: zone, of: store).delete()
    try share(in: store)
    let old = try store.zone("Old")
    try store.deleteZone(old, .private, of: store.me())
    try store.build(
      notes.possibleIndexes.filter { ["text", "tags", "allTokens"].contains($0.key) }, of: notes)
    try store.commit()
    _ = try store.checkpoint()
    return draft.asset
  }

  /// Shares a hierarchy with another user, who has gained and lost records of it.
  private static func share(in store: EnvironmentStore) throws {
    let (lists, shares) = (try store.type("List"), try store.type("cloudkit.share"))
    for (name, parent) in [("root", nil), ("a", "root"), ("b", "a"), ("alone", nil)] {
      var record = record(name, "List", zone: "Shared")
      record.parent = parent.map { RecordName(stored: $0) }
      _ = try store.insert(record, lists)
    }
    let number = try store.insert(record("Share-1", "cloudkit.share", zone: "Shared"), shares)
    let zone = try store.zone("Shared")
    guard let root = try store.record(RecordName(stored: "root"), in: zone), let number else {
      return
    }
    let share = StoredShare(
      number: number, in: zone, name: RecordName(stored: "Share-1"), root: root.record.name,
      token: "token", publicPermission: .none, allowsRequests: false)
    try store.set(share)
    try store.coverShare(share, type: shares)
    try store.cover(root, by: share)
    try store.setShare(share.name, of: root)
    let you = UserRecordName(stored: "_you")
    try store.set(
      StoredParticipant(
        id: "1", user: you.text, account: "you", address: nil, role: .privateUser,
        permission: .readOnly, status: .accepted, added: StoreFixture.time), of: share)
    try store.show(share, to: you)
    for (name, parent) in [("alone", "b"), ("a", nil)] {
      guard let stored = try store.record(RecordName(stored: name), in: zone) else { return }
      var moved = stored.record
      moved.parent = parent.map { RecordName(stored: $0) }
      _ = try store.update(stored, to: moved, lists, at: StoreFixture.time, by: store.me())
    }
    guard let moved = try store.record(RecordName(stored: "a"), in: zone) else { return }
    var back = moved.record
    back.parent = root.record.name
    _ = try store.update(moved, to: back, lists, at: StoreFixture.time, by: store.me())
  }

  private static func files(of folder: String) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in ["records.sqlite", "lock"] {
      files[name] = try FileSystem.contents(of: "\(folder)/\(name)")
    }
    return files
  }

  /// Everything that can be read of an environment's records, one line each.
  static func records(in folder: String) throws -> [String] {
    let store = try EnvironmentStore(folder: folder, patience: .none)
    try store.beginRead()
    defer { store.endRead() }
    var lines: [String] = []
    let user = try store.user(Account("me"), on: .cli)
    for zone in try store.zones(.private, of: user) {
      lines.append("zone \(zone.zone.id.text) \(zone.zone.recordCount)")
      try store.list(zone) { record in
        lines.append("\(zone.zone.id.text) \(text(of: record))")
        return true
      }
      let deletions = try store.changes(in: zone, after: .max, deletionsAfter: 0)
      lines += deletions.map { "\($0)" }
      for share in try store.shares(in: zone) {
        lines += ["\(share)"] + (try store.participants(of: share).map { "\($0)" })
        lines += try store.covered(by: share).map { "\($0)" }.sorted()
      }
    }
    let you = UserRecordName(stored: "_you")
    for (zone, since) in try store.sharedZones(of: you) {
      lines.append("window \(zone.zone.id.text) \(since)")
      let seen = try store.changes(
        in: zone, seenBy: you, after: since, lossesAfter: since, limit: 100)
      lines += seen.map { "\($0)" }
    }
    return lines
  }

  /// All values of a record. Reflection takes ten times as long.
  private static func text(of record: Record) -> String {
    let fields = record.fields.entries.map { entry in
      "\(entry.name.text)=\(entry.value.wireValue(in: record.zone).text)"
    }
    let stamps = [record.created, record.modified].map { stamp in
      stamp.map { "\($0.at.milliseconds) \($0.by.text) \($0.device.name)" } ?? ""
    }
    let parts =
      [
        record.name.text, record.type.text, record.zone.text, record.parent?.text ?? "",
        record.share?.text ?? "", record.changeTag?.text ?? "",
      ] + stamps + fields
    return parts.joined(separator: "|")
  }

  func incarnations() throws -> [Incarnation] { try fixture.open().incarnations() }

  // MARK: Damage

  /// Restores the sound files.
  func restore() throws {
    let folders = try FileSystem.list(FileSystem.parent(of: folder))
    for name in folders where name.hasPrefix("development.") {
      try FileSystem.remove("\(FileSystem.parent(of: folder))/\(name)")
    }
    for name in try FileSystem.list(folder) where name != "assets" {
      try FileSystem.remove("\(folder)/\(name)")
    }
    for (name, bytes) in sound { try FileSystem.replace("\(folder)/\(name)", with: bytes) }
    let path = AssetFiles(folder: file.assetsPath).path(of: contents)
    try FileSystem.makeDirectories(FileSystem.parent(of: path))
    try FileSystem.remove(path)
    try FileSystem.replace(path, with: Array("hello".utf8))
  }

  /// Changes the bytes of the database.
  func patch(_ change: (inout [UInt8]) -> Void) throws {
    var bytes = sound["records.sqlite"] ?? []
    change(&bytes)
    try FileSystem.replace(databasePath, with: bytes)
  }

  /// Writes zeros over the first page of a table.
  func zeroRoot(of table: String) throws {
    let root =
      try Connection(path: databasePath, mode: .immutable)
      .integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'") ?? 1
    let start = Int(root - 1) * 4096
    try patch { $0.replaceSubrange(start..<start + 4096, with: repeatElement(0, count: 4096)) }
  }

  /// Changes the database as another program would.
  func execute(_ sql: String) throws {
    let connection = try Connection(path: databasePath, mode: .readWrite)
    try Table.addSealFunction(to: connection)
    try connection.execute(sql)
    try connection.checkpoint(.truncate)
  }

  /// The doctor's findings besides notices.
  func findings() throws -> [StoreFinding] {
    try file.examine(isDeep: true, patience: .none).findings
      .filter { $0.code.severity != .notice }
  }

  func repair() throws -> Repair { try fixture.repair() }
}

extension EnvironmentStore {
  /// The changes of a zone after a sequence number, as the feed passes them.
  func changes(
    in zone: StoredZone, after sequence: Int64, deletionsAfter horizon: Int64
  ) throws -> [StoredChange] {
    var all: [StoredChange] = []
    try changes(in: zone, after: sequence, deletionsAfter: horizon) {
      all.append($0)
      return true
    }
    return all
  }
}
