internal import CloudModel
internal import FieldCodecs
internal import PredicateLanguage
internal import SQLite
internal import StoreFiles

// Which physical indexes a type may have, and which it has.

extension TypeTable {
  /// The index for a key, whether it exists or not; nil for a key that can have none.
  public func index(of key: String) -> PhysicalIndex? {
    let prefix = PhysicalIndex.prefix + location + "."
    if let system = SystemKey(key) {
      guard let column = system.indexedColumn else { return nil }
      return PhysicalIndex(
        key: system.rawValue, name: prefix + column, kind: .columns([column]))
    }
    guard let field = column(key) else {
      return key == allTokens ? wordIndex : nil
    }
    guard field.schema.type.base != .asset else { return nil }
    if field.schema.type.isList {
      // A real number may be written in several ways, and a location is several numbers.
      guard ![.location, .double, .number].contains(field.schema.type.base) else { return nil }
      return PhysicalIndex(
        key: key, name: prefix + field.location,
        kind: .members(column: field.parts[0].name, field.memberSQL))
    }
    let isPlace = field.schema.type.base == .location
    return PhysicalIndex(
      key: key, name: prefix + field.location,
      kind: .columns(field.parts.prefix(isPlace ? 2 : 1).map(\.name)))
  }

  /// The columns of texts and of lists of them.
  var texts: [FieldColumn] { columns.filter { $0.schema.type.base == .string } }

  /// The index of the words of all texts; nil without any.
  var wordIndex: PhysicalIndex? {
    let texts = texts
    guard !texts.isEmpty else { return nil }
    let words = texts.map { text in
      let function = text.schema.type.isList ? Catalog.listWords : Catalog.textWords
      return "\(function)(t.\(text.parts[0].name))"
    }
    return PhysicalIndex(
      key: allTokens, name: PhysicalIndex.prefix + location + "._words",
      kind: .words(SQLFragment.balanced(words.map { SQLFragment($0) }, " || ").sql))
  }

  /// All indexes that the table may have.
  var possibleIndexes: [PhysicalIndex] {
    // A field with the name of a system key cannot be found by that name.
    let fields = schema.fields.map(\.name.text).filter { SystemKey($0) == nil }
    let keys = fields + SystemKey.allCases.map(\.rawValue)
    return keys.compactMap { index(of: $0) } + (wordIndex.map { [$0] } ?? [])
  }
}

extension SystemKey {
  /// The column of the type's table that has the key.
  fileprivate var indexedColumn: String? {
    switch self {
    case .creationDate: "_created"
    case .modificationDate: "_modified"
    case .parent: "_parent"
    case .share: "_share"
    case .changeTag: "_sequence"
    case .recordName: "_name"
    case .creatorUserRecordID, .lastModifiedUserRecordID: nil
    }
  }
}

extension Catalog {
  /// The SQL functions that return the words of a text and of a list of texts, each followed by a
  /// space; an empty text for NULL.
  static let textWords = "ckdb_words"
  static let listWords = "ckdb_list_words"

  /// Registers the functions that indexes of words need.
  func addWordFunctions() throws(StoreError) {
    if hasWordFunctions { return }
    try Self.addWordFunctions(to: connection)
    hasWordFunctions = true
  }

  static func addWordFunctions(to connection: Connection) throws(StoreError) {
    try onSQLite { () throws(SQLiteError) in
      try connection.addFunction(textWords) { text, words in
        TextWords.append(of: text, to: &words)
      }
      try connection.addFunction(listWords) { list, words in
        for case .string(var text) in ListCodec.decode(UnsafeRawBufferPointer(list), base: .string)
        {
          text.withUTF8 { TextWords.append(of: $0, to: &words) }
        }
      }
    }
  }

  /// The names of the indexes that a type's table has.
  func indexNames(of table: TypeTable) throws(StoreError) -> Set<String> {
    if let known = table.indexNames { return known }
    let names = try allIndexNames()[table.location] ?? []
    table.indexNames = names
    return names
  }

  /// Whether a physical index of this name exists.
  func hasIndex(_ name: String) throws(StoreError) -> Bool {
    try allIndexNames().values.contains { $0.contains(name) }
  }

  /// The names of the indexes of all types, by the names of their tables. They are read once, since
  /// SQLite reads its whole schema for them.
  private func allIndexNames() throws(StoreError) -> [String: Set<String>] {
    if let indexNames { return indexNames }
    let statement = try connection.prepared("SELECT name FROM sqlite_schema")
    var names: [String: Set<String>] = [:]
    while try statement.next() {
      let name = statement.text(0)
      // No table or column of ours has a dot in its name.
      guard name.hasPrefix(PhysicalIndex.prefix), let dot = name.lastIndex(of: ".") else {
        continue
      }
      names[String(name[..<dot].dropFirst(PhysicalIndex.prefix.count)), default: []].insert(name)
    }
    indexNames = names
    return names
  }

  /// The indexes of a type that writers maintain.
  func keptIndexes(of table: TypeTable) throws(StoreError) -> [PhysicalIndex] {
    if let known = table.keptIndexes { return known }
    var indexes: [PhysicalIndex] = []
    if try hasKeptIndexes(table) {
      let names = try indexNames(of: table)
      indexes = table.possibleIndexes.filter { $0.isKept && names.contains($0.name) }
      try addWordFunctions()
    }
    table.keptIndexes = indexes
    return indexes
  }

  private func hasKeptIndexes(_ table: TypeTable) throws(StoreError) -> Bool {
    try database.hasRow("SELECT 1 FROM _type WHERE _id = ? AND kept <> 0", [table.number])
  }

  /// Notes that indexes were made or dropped.
  func changed(indexesOf table: TypeTable) throws(StoreError) {
    table.indexNames = nil
    indexNames = nil
    let names = try indexNames(of: table)
    let count = table.possibleIndexes.count { $0.isKept && names.contains($0.name) }
    try database.run(
      EnvironmentTables.type.update(["kept": "?1"]) + " WHERE _id = ?2", [count, table.number])
    try changed()
  }
}
