internal import Basics
internal import CloudModel
internal import SQLite

/// An index of a type's table by one key, zone by zone: made when a query first needs it, kept
/// up to date by SQLite from then on (design.md §4).
public struct PhysicalIndex: Hashable, Sendable {
  /// The name of the field or of the system key.
  public let key: String
  /// The name in SQLite.
  let name: String
  /// The columns behind `_zone`, quoted.
  let columns: [String]

  /// What the names of all indexes begin with; the table and the column follow.
  static let prefix = "_index_"

  init(key: String, name: String, columns: [String]) {
    self.key = key
    self.name = name
    self.columns = columns
  }
}

extension TypeTable {
  /// The index by a key; nil where there is none of columns alone.
  func index(of key: String) -> PhysicalIndex? {
    let prefix = PhysicalIndex.prefix + location + "."
    if let system = SystemKey(key) {
      guard let column = system.indexedColumn else { return nil }
      return PhysicalIndex(key: system.rawValue, name: prefix + column, columns: [column])
    }
    guard let field = column(key), !field.schema.type.isList, field.schema.type.base != .asset
    else {
      return nil
    }
    let isPlace = field.schema.type.base == .location
    return PhysicalIndex(
      key: key, name: prefix + field.location,
      columns: field.parts.prefix(isPlace ? 2 : 1).map(\.name))
  }

  /// All indexes that the table may have.
  var possibleIndexes: [PhysicalIndex] {
    (schema.fields.map(\.name.text) + SystemKey.allCases.map(\.rawValue)).compactMap {
      index(of: $0)
    }
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
    case .recordName, .creatorUserRecordID, .lastModifiedUserRecordID: nil
    }
  }
}

extension EnvironmentStore {
  /// The indexes that a type's table has, in the byte order of their keys. Throws `StoreError`.
  public func indexes(of table: TypeTable) throws(StoreError) -> [PhysicalIndex] {
    let names = try sql { () throws(SQLiteError) in try catalog.indexNames(of: table) }
    return table.possibleIndexes.filter { names.contains($0.name) }
      .sorted { utf8Precedes($0.key, $1.key) }
  }

  /// The index by a key, there or not; nil for a key that has none.
  public func index(of key: String, in table: TypeTable) -> PhysicalIndex? { table.index(of: key) }

  /// Makes indexes, in a write transaction. Throws `StoreError`.
  public func build(_ indexes: [PhysicalIndex], of table: TypeTable) throws(StoreError) {
    try sql { () throws(SQLiteError) in
      for index in indexes {
        let columns = (["_zone"] + index.columns).joined(separator: ", ")
        try connection.execute(
          """
          CREATE INDEX IF NOT EXISTS \(index.name.quotedIdentifier) ON \(table.table)(\(columns))
          """)
      }
      try catalog.changed()
      table.builtIndexes = nil
    }
  }

  /// Drops indexes, in a write transaction. Throws `StoreError`.
  public func drop(_ indexes: [PhysicalIndex], of table: TypeTable) throws(StoreError) {
    try sql { () throws(SQLiteError) in
      for index in indexes { try connection.execute(index.dropping) }
      try catalog.changed()
      table.builtIndexes = nil
    }
  }

  /// Whether a type has so many records that an index pays. Throws `StoreError`.
  func isLarge(_ table: TypeTable) throws(StoreError) -> Bool {
    try sql { () throws(SQLiteError) in
      try connection.integer(
        "SELECT EXISTS(SELECT 1 FROM \(table.table) LIMIT 1 OFFSET \(fewRecords - 1))") == 1
    }
  }
}

extension PhysicalIndex {
  var dropping: String { "DROP INDEX IF EXISTS \(name.quotedIdentifier)" }
}

extension Catalog {
  /// The names of the indexes that a type's table has.
  func indexNames(of table: TypeTable) throws(SQLiteError) -> Set<String> {
    if let known = table.builtIndexes { return known }
    let statement = try connection.statement(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND name GLOB ?")
    statement.bind(table.location, 1)
    statement.bind(PhysicalIndex.prefix + "*", 2)
    var names: Set<String> = []
    while try statement.step() { names.insert(statement.text(0)) }
    table.builtIndexes = names
    return names
  }
}
