internal import CloudModel
internal import SQLite
internal import StoreFiles

/// The statements of `_record` that every save uses, compiled once.
final class RecordTables {
  private let connection: Connection
  private var insertion: Statement?

  init(_ connection: Connection) { self.connection = connection }

  func insert() throws(StoreError) -> Statement {
    if let insertion { return insertion }
    let statement = try connection.prepared(
      """
      INSERT INTO _record(zone, name, type, _id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
      """)
    insertion = statement
    return statement
  }
}

extension TypeTable {
  /// The columns of all fields, in order, each with a comma before it.
  var columnList: String {
    columns.flatMap(\.parts).map { ", " + $0.name }.joined()
  }

  /// The place of the first field's value in `insertion` and in `update`.
  static let firstInsertedField = 11
  static let firstUpdatedField = 6

  func insertion(on connection: Connection) throws(StoreError) -> Statement {
    if let insertion { return insertion }
    let count = columns.reduce(0) { $0 + $1.parts.count }
    let marks = String(repeating: ", ?", count: Self.firstInsertedField - 1 + count).dropFirst(2)
    let statement = try connection.query(
      """
      INSERT INTO \(table)(_id, _zone, _name, _sequence, _created, _creator, _modified,
        _modifier, _parent, _checksum\(columnList)) VALUES (\(marks))
      """)
    insertion = statement
    return statement
  }

  func update(on connection: Connection) throws(StoreError) -> Statement {
    if let update { return update }
    let columns = columns.flatMap(\.parts).map { ", \($0.name) = ?" }.joined()
    let statement = try connection.query(
      """
      UPDATE \(table) SET _sequence = ?, _modified = ?, _modifier = ?, _parent = ?,
        _checksum = ?\(columns) WHERE _id = ?
      """)
    update = statement
    return statement
  }

  /// Binds the values of all columns from `first`; returns the place after them.
  func bind(_ fields: RecordFields, to statement: Statement, from first: Int) -> Int {
    var place = first
    var next = 0
    let entries = fields.entries
    for column in columns {
      if next < entries.count, entries[next].name == column.schema.name {
        column.bind(entries[next].value, to: statement, at: place)
        next += 1
      } else {
        column.bind(nil, to: statement, at: place)
      }
      place += column.parts.count
    }
    precondition(next == entries.count, "a value without a column")
    return place
  }

  /// The sum of the values' checksums.
  func checksum(_ fields: RecordFields) -> UInt64 {
    var sum: UInt64 = 0
    var next = 0
    let entries = fields.entries
    for column in columns where next < entries.count {
      guard entries[next].name == column.schema.name else { continue }
      sum &+= RecordChecksum.value(entries[next].value, salt: column.salt)
      next += 1
    }
    return sum
  }
}
