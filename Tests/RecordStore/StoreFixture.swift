internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles
internal import TestSupport

@testable internal import RecordStore
@testable internal import StoreHome

/// An environment's store in a fresh directory, with one user.
final class StoreFixture {
  private let directory: TemporaryDirectory
  let folder: String
  private var opened: EnvironmentStore?
  static let time = Timestamp(milliseconds: 1_700_000_000_000)

  init() throws {
    directory = try TemporaryDirectory()
    folder = directory.path + "/development"
    try EnvironmentFile(folder: folder).create()
    opened = try EnvironmentStore(folder: folder, patience: Patience(milliseconds: 5000))
  }

  /// The open store.
  var store: EnvironmentStore {
    guard let opened else { preconditionFailure("the store is closed") }
    return opened
  }

  var databasePath: String { folder + "/records.sqlite" }

  /// Opens the store again, as the next process does.
  func reopen() throws {
    store.rest()
    opened = try EnvironmentStore(folder: folder, patience: Patience(milliseconds: 5000))
  }

  /// Closes the store, with its whole log in the database file.
  func close() throws {
    opened = nil
    let connection = try Connection(path: databasePath, mode: .readWrite)
    _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
    try connection.checkpoint(.truncate)
  }

  /// Writes everything, or nothing.
  func write<T>(_ work: (EnvironmentStore) throws -> T) throws -> T {
    try store.beginWrite()
    let result: T
    do { result = try work(store) } catch {
      store.rollback()
      throw error
    }
    try store.commit()
    return result
  }

  /// Reads one state.
  func read<T>(_ work: (EnvironmentStore) throws -> T) throws -> T {
    try store.beginRead()
    defer { store.endRead() }
    return try work(store)
  }

  /// Expects a sound file.
  func checkInvariants() throws { try StoreInvariants(databasePath).check() }
}

extension EnvironmentStore {
  /// The user `me`, made if missing.
  func me() throws -> StoredUser {
    let account = try Account("me")
    return try writer(account, on: .cli)
      ?? addUser(account, name: UserRecordName(stored: "_me"), on: .cli)
  }

  /// A zone of the private database, made if missing.
  func zone(_ name: String) throws -> StoredZone {
    let name = ZoneID(stored: name)
    let owner = try me()
    return try zone(name, .private, of: owner) ?? addZone(name, .private, of: owner)
  }

  /// A type with fields, made if missing.
  func type(_ name: String, _ fields: [(String, FieldType)] = []) throws -> TypeTable {
    let type = RecordType(stored: name)
    let table = try table(type) ?? addType(type)
    for (field, type) in fields where table.field(FieldName(stored: field)) == nil {
      try addField(
        FieldSchema(name: FieldName(stored: field), type: type, indexes: type.newFieldIndexes),
        to: table)
    }
    return table
  }

  /// Inserts a record into its zone by `me`; nil if the name is taken.
  func insert(_ record: Record, _ table: TypeTable) throws -> Int64? {
    try insert(
      record, table, in: zone(record.zone.text), at: StoreFixture.time, by: me())
  }
}

/// A record that is not in a store.
func record(
  _ name: String, _ type: String, zone: String = "_defaultZone",
  _ fields: [(String, FieldValue)] = []
) -> Record {
  var record = Record(
    name: RecordName(stored: name), type: RecordType(stored: type),
    zone: ZoneID(stored: zone))
  for (name, value) in fields { record.fields[FieldName(stored: name)] = value }
  return record
}

extension EnvironmentStore {
  /// All types except `Users`, which every schema has.
  func madeTypes() throws -> [String] {
    try types().map(\.text).filter { $0 != RecordType.users.text }
  }
}
