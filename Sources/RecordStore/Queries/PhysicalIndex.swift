internal import Basics
internal import CloudModel
internal import SQLite

/// An index of a type's table by one key, made when a query first needs it (design.md §4): of
/// columns, zone by zone, which SQLite keeps up to date; or of a list's members, in a table that
/// writers keep up to date.
public struct PhysicalIndex: Hashable, Sendable {
  /// The name of the field or of the system key.
  public let key: String
  /// The name in SQLite.
  let name: String
  /// The columns, quoted.
  let columns: [String]
  /// Whether it is one of a list's members, by this SQL of a row of json_each called `m`.
  let memberSQL: String?

  /// What the names of all indexes begin with; the table and the column follow.
  static let prefix = "_index_"

  init(key: String, name: String, columns: [String], memberSQL: String? = nil) {
    self.key = key
    self.name = name
    self.columns = columns
    self.memberSQL = memberSQL
  }

  var isOfMembers: Bool { memberSQL != nil }
  private var table: String { name.quotedIdentifier }

  /// What makes it of the rows that are there.
  func creation(on table: TypeTable) -> String {
    guard memberSQL != nil else {
      let columns = (["_zone"] + columns).joined(separator: ", ")
      return "CREATE INDEX IF NOT EXISTS \(self.table) ON \(table.table)(\(columns))"
    }
    return """
      CREATE TABLE IF NOT EXISTS \(self.table)(value ANY NOT NULL, _id INTEGER NOT NULL,
        PRIMARY KEY(value, _id)) STRICT, WITHOUT ROWID;
      INSERT OR IGNORE INTO \(self.table) \(members(of: table)) ORDER BY 1, 2
      """
  }

  var dropping: String {
    "DROP \(isOfMembers ? "TABLE" : "INDEX") IF EXISTS \(table)"
  }

  /// The members of all rows of a type's table `t`, each with the row's number.
  func members(of table: TypeTable) -> String {
    """
    SELECT \(memberSQL ?? ""), t._id FROM \(table.table) t, json_each(t.\(columns[0])) AS m
    WHERE m.value IS NOT NULL
    """
  }

  /// What adds the members of one row.
  func addition(on table: TypeTable) -> String {
    "INSERT OR IGNORE INTO \(self.table) \(members(of: table)) AND t._id = ?"
  }

  /// What removes the members of the rows that a condition on `t` holds for.
  func removal(on table: TypeTable, where condition: String) -> String {
    "DELETE FROM \(self.table) WHERE (value, _id) IN (\(members(of: table)) AND \(condition))"
  }

  /// The condition that a row has a member.
  func having(_ value: SQLFragment) -> SQLFragment {
    SQLFragment("t._id IN (SELECT _id FROM \(table) WHERE value ") + value + SQLFragment(")")
  }
}

extension TypeTable {
  /// The index by a key, there or not; nil for a key that can have none.
  public func index(of key: String) -> PhysicalIndex? {
    let prefix = PhysicalIndex.prefix + location + "."
    if let system = SystemKey(key) {
      guard let column = system.indexedColumn else { return nil }
      return PhysicalIndex(key: system.rawValue, name: prefix + column, columns: [column])
    }
    guard let field = column(key), field.schema.type.base != .asset else { return nil }
    if field.schema.type.isList {
      // A real number may be written in several ways, and a place is several numbers.
      guard ![.location, .double, .number].contains(field.schema.type.base) else { return nil }
      return PhysicalIndex(
        key: key, name: prefix + field.location, columns: [field.parts[0].name],
        memberSQL: field.memberSQL)
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
    case .recordName: "_name"
    case .creatorUserRecordID, .lastModifiedUserRecordID: nil
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

  /// Makes indexes, in a write transaction. Throws `StoreError`.
  public func build(_ indexes: [PhysicalIndex], of table: TypeTable) throws(StoreError) {
    connection.setInterruptible(true)
    defer { connection.setInterruptible(false) }
    try sql { () throws(SQLiteError) in
      for index in indexes { try connection.execute(index.creation(on: table)) }
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

extension EnvironmentStore {
  /// Puts the members of a row into the indexes that have them.
  func addMembers(of number: Int64, _ table: TypeTable) throws(SQLiteError) {
    for index in try catalog.memberIndexes(of: table) {
      let statement = try connection.statement(index.addition(on: table))
      statement.bind(number, 1)
      try statement.run()
    }
  }

  /// Takes the members of a row, which is still there, out of the indexes that have them.
  func removeMembers(of number: Int64, _ table: TypeTable) throws(SQLiteError) {
    try removeMembers(table, where: "t._id = ?", number)
  }

  /// Takes the members of a zone's rows, which are still there, out of the indexes.
  func removeMembers(inZone zone: Int64, _ table: TypeTable) throws(SQLiteError) {
    try removeMembers(table, where: "t._zone = ?", zone)
  }

  private func removeMembers(
    _ table: TypeTable, where condition: String, _ number: Int64
  ) throws(SQLiteError) {
    for index in try catalog.memberIndexes(of: table) {
      let statement = try connection.statement(index.removal(on: table, where: condition))
      statement.bind(number, 1)
      try statement.run()
    }
  }
}

extension Catalog {
  /// The names of the indexes that a type's table has.
  func indexNames(of table: TypeTable) throws(SQLiteError) -> Set<String> {
    if let known = table.builtIndexes { return known }
    let statement = try connection.statement(
      "SELECT name FROM sqlite_schema WHERE substr(name, 1, ?) = ?")
    let prefix = PhysicalIndex.prefix + table.location + "."
    statement.bind(Int64(prefix.unicodeScalars.count), 1)
    statement.bind(prefix, 2)
    var names: Set<String> = []
    while try statement.step() { names.insert(statement.text(0)) }
    table.builtIndexes = names
    return names
  }

  /// The indexes of lists' members that a type has.
  func memberIndexes(of table: TypeTable) throws(SQLiteError) -> [PhysicalIndex] {
    guard table.hasLists else { return [] }
    if let known = table.memberIndexes { return known }
    let names = try indexNames(of: table)
    let indexes = table.possibleIndexes.filter { $0.isOfMembers && names.contains($0.name) }
    table.memberIndexes = indexes
    return indexes
  }
}
