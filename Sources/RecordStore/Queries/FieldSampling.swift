internal import Basics
public import CloudModel
internal import FieldCodecs
internal import SQLite
public import StoreFiles

/// The values of a field in the first records of a type: enough to complete a word, in a time that
/// does not grow with the store.
extension EnvironmentStore {
  /// The number of rows that are read.
  private static let sampleSize = 2_000
  /// The maximum number of values.
  private static let mostValues = 200

  /// The values of a field in the first rows of its type, the most frequent first.
  public func commonValues(
    of field: FieldName, in table: TypeTable, zones: [StoredZone]
  ) throws(StoreError) -> [FieldValue] {
    guard let column = table.column(field.text), !zones.isEmpty else { return [] }
    return try commonest(column, table, zones)
  }

  /// The texts of a field that begin with a prefix, from all rows; none if no index finds them.
  public func texts(
    of field: FieldName, in table: TypeTable, zones: [StoredZone], beginningWith prefix: String,
    atMost limit: Int
  ) throws(StoreError) -> [FieldValue] {
    guard let column = table.column(field.text), column.schema.type == FieldType(.string),
      !zones.isEmpty, try indexes(of: table).contains(where: { $0.finds(column) })
    else { return [] }
    return try values(of: column, table, zones, beginningWith: prefix, limit)
  }

  private func commonest(
    _ column: FieldColumn, _ table: TypeTable, _ zones: [StoredZone]
  ) throws(StoreError) -> [FieldValue] {
    let names = column.parts.map(\.name).separated(by: ", ")
    let rows = "SELECT _zone, \(names) FROM \(table.table) LIMIT \(Self.sampleSize)"
    let isMembers = column.schema.type.isList
    return try read(
      """
      SELECT \(names) FROM (\(rows))
      WHERE _zone IN (\(zones.sqlNumbers)) AND \(column.parts[0].name) IS NOT NULL
      GROUP BY \(names) ORDER BY count(*) DESC, \(names) LIMIT \(Self.mostValues)
      """, column
    ).flatMap { value in
      if isMembers, case .list(let members) = value { return members }
      return [value]
    }
  }

  private func values(
    of column: FieldColumn, _ table: TypeTable, _ zones: [StoredZone],
    beginningWith prefix: String, _ limit: Int
  ) throws(StoreError) -> [FieldValue] {
    let name = column.parts[0].name
    return try read(
      """
      SELECT DISTINCT \(name) FROM \(table.table)
      WHERE \(name) >= ?1 AND \(name) < ?1 || char(1114111)
        AND _zone IN (\(zones.sqlNumbers)) LIMIT \(limit)
      """, column, prefix)
  }

  private func read(
    _ sql: String, _ column: FieldColumn, _ prefix: String? = nil
  ) throws(StoreError) -> [FieldValue] {
    let row = try connection.query(sql)
    if let prefix { row.bind(prefix, 1) }
    var values: [FieldValue] = []
    while try row.next() {
      if let value = column.value(in: row, at: 0), !values.contains(value) {
        values.append(value)
      }
    }
    return values
  }

  /// The types of the records that a field of the first rows refers to.
  public func targetTypes(
    of field: FieldName, in table: TypeTable
  ) throws(StoreError) -> [RecordType] {
    guard let column = table.column(field.text), column.schema.type.base == .reference else {
      return []
    }
    let values = try read(
      """
      SELECT \(column.parts.map(\.name).separated(by: ", ")) FROM
        (SELECT * FROM \(table.table) LIMIT \(Self.sampleSize))
      WHERE \(column.parts[0].name) IS NOT NULL LIMIT 20
      """, column)
    var types: [RecordType] = []
    for case .reference(let reference) in values.flatMap(\.members) {
      for type in try self.types(ofRecordsNamed: reference.name) where !types.contains(type) {
        types.append(type)
      }
    }
    return types
  }

  private func types(ofRecordsNamed name: RecordName) throws(StoreError) -> [RecordType] {
    let numbers: [Int64] = try database.values(
      "SELECT DISTINCT type FROM _record WHERE zone IN (SELECT _id FROM _zone) AND name = ?",
      [name])
    var types: [RecordType] = []
    for type in try self.types() {
      if let table = try table(type), numbers.contains(table.number) { types.append(type) }
    }
    return types
  }
}

extension FieldValue {
  fileprivate var members: [FieldValue] {
    if case .list(let members) = self { members } else { [self] }
  }
}

extension [StoredZone] {
  fileprivate var sqlNumbers: String { map { String($0.number) }.separated(by: ", ") }
}

extension PhysicalIndex {
  /// Whether SQLite can find the values of a column in it.
  fileprivate func finds(_ column: FieldColumn) -> Bool {
    if case .columns(let columns) = kind { columns.first == column.parts[0].name } else { false }
  }
}
