internal import Basics
internal import CloudModel
internal import RecordStore
internal import StoreHome

/// A kind of fixture entries in a store: how it is loaded, found and compared.
protocol StoredFixtureEntry: FixtureEntry {
  /// The entries of a store, in the order of an export. Within a transaction.
  static func all(in directory: ShareDirectory) throws -> [Self]
  /// Those of them that a comparison with a fixture needs.
  static func found(for given: [Self], in directory: ShareDirectory) throws -> [Self]
  /// Whether an entry that only the store has is a difference, in a zone of which the fixture has
  /// entries.
  static var isComplete: Bool { get }
  /// The entry as `all` would return it. Within a transaction.
  func canonical(in directory: ShareDirectory) throws -> Self

  /// Loads what records may need, before them.
  func loadBeforeRecords(_ loading: inout FixtureEntryLoading) throws
  /// Loads what needs records, or checks what is loaded later, in the order of the kinds.
  func loadAfterRecords(
    _ loading: inout FixtureEntryLoading, _ transaction: WriteTransaction
  ) throws
  /// Loads what the environment's database does not have, after its commit.
  static func load(
    _ given: [Self], in id: ContainerID, of store: CloudStore, for request: Request
  ) throws(CloudError)

  /// The record to check against a schema; nil for none.
  func draft(at position: TextPosition) -> RecordDraft?
  /// The files that it is loaded from.
  var files: [String] { get }
}

extension StoredFixtureEntry {
  static func found(for given: [Self], in directory: ShareDirectory) throws -> [Self] {
    given.isEmpty ? [] : try all(in: directory)
  }

  static var isComplete: Bool { false }
  func canonical(in directory: ShareDirectory) -> Self { self }
  func loadBeforeRecords(_ loading: inout FixtureEntryLoading) {}
  func loadAfterRecords(_ loading: inout FixtureEntryLoading, _ transaction: WriteTransaction) {}

  static func load(
    _ given: [Self], in id: ContainerID, of store: CloudStore, for request: Request
  ) {}

  func draft(at position: TextPosition) -> RecordDraft? { nil }
  var files: [String] { [] }
}

extension FixtureEntries {
  /// The kinds, in the order in which they are loaded and compared.
  static let stored: [any StoredFixtureEntry.Type] = [
    FixtureUser.self, FixtureDevice.self, FixtureShare.self, FixtureSubscription.self,
    FixtureKeyValues.self, FixtureDocuments.self,
  ]

  /// The entries as kinds of a store, in the order of the texts.
  var stored: [Placed<any StoredFixtureEntry>] {
    all.compactMap { entry in
      (entry.value as? any StoredFixtureEntry).map { Placed($0, at: entry.position) }
    }
  }

  /// Loads the entries that the container has outside its records, after the commit of these.
  func load(in id: ContainerID, of store: CloudStore, for request: Request) throws(CloudError) {
    func load<Entry: StoredFixtureEntry>(_ kind: Entry.Type) throws(CloudError) {
      try kind.load(self[kind].map(\.value), in: id, of: store, for: request)
    }
    for kind in Self.stored { try load(kind) }
  }
}

extension CloudEnvironment {
  /// The entries of the store other than records. Within a transaction.
  func fixtureEntries() throws -> FixtureEntries {
    let directory = try ShareDirectory(self)
    var entries = FixtureEntries()
    for kind in FixtureEntries.stored {
      for entry in try kind.all(in: directory) {
        entries.append(entry, at: TextPosition(line: 1, column: 1))
      }
    }
    return entries
  }
}
