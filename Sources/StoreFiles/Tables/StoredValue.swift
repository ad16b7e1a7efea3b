package import CloudModel
package import SQLite

/// A value that a column can hold.
package protocol StoredValue {
  /// Reads the value of a column.
  init(stored column: Statement.ColumnValue)
  /// Binds the value to a parameter of a statement.
  func bind(to statement: Statement, _ place: Int)
}

extension Int64: StoredValue {
  package init(stored column: Statement.ColumnValue) { self = column.int64 }
  package func bind(to statement: Statement, _ place: Int) { statement.bind(self, place) }
}

extension Int: StoredValue {
  package init(stored column: Statement.ColumnValue) { self.init(truncatingIfNeeded: column.int64) }
  package func bind(to statement: Statement, _ place: Int) { statement.bind(Int64(self), place) }
}

/// A checksum, as the integer with the same bits.
extension UInt64: StoredValue {
  package init(stored column: Statement.ColumnValue) { self.init(bitPattern: column.int64) }
  package func bind(to statement: Statement, _ place: Int) {
    statement.bind(Int64(bitPattern: self), place)
  }
}

extension Bool: StoredValue {
  package init(stored column: Statement.ColumnValue) { self = column.int64 != 0 }
  package func bind(to statement: Statement, _ place: Int) {
    statement.bind(Int64(self ? 1 : 0), place)
  }
}

/// Milliseconds since 1970.
extension Timestamp: StoredValue {
  package init(stored column: Statement.ColumnValue) { self.init(milliseconds: column.int64) }
  package func bind(to statement: Statement, _ place: Int) { statement.bind(milliseconds, place) }
}

extension String: StoredValue {
  package init(stored column: Statement.ColumnValue) {
    self.init(decoding: column.utf8, as: UTF8.self)
  }
  package func bind(to statement: Statement, _ place: Int) { statement.bind(self, place) }
}

extension Optional: StoredValue where Wrapped: StoredValue {
  package init(stored column: Statement.ColumnValue) {
    self = column.isNull ? nil : Wrapped(stored: column)
  }
  package func bind(to statement: Statement, _ place: Int) {
    if let self { self.bind(to: statement, place) } else { statement.bindNull(place) }
  }
}

/// A name of CloudKit's, stored as its text.
package protocol StoredName: StoredValue {
  /// A name that was checked before it was stored.
  init(stored text: String)
  /// Its text.
  var stored: String { get }
}

extension StoredName {
  package init(stored column: Statement.ColumnValue) { self.init(stored: String(stored: column)) }
  package func bind(to statement: Statement, _ place: Int) { statement.bind(stored, place) }
}

extension Account: StoredName { package var stored: String { name } }
extension Device: StoredName { package var stored: String { name } }
extension SecurityRole: StoredName { package var stored: String { name } }
extension DocumentPath: StoredName { package var stored: String { text } }
extension ZoneName: StoredName { package var stored: String { text } }
extension RecordName: StoredName { package var stored: String { text } }
extension RecordType: StoredName { package var stored: String { text } }
extension FieldName: StoredName { package var stored: String { text } }
extension UserRecordName: StoredName { package var stored: String { text } }
extension SubscriptionID: StoredName { package var stored: String { text } }

extension Statement {
  /// Binds values to the first parameters.
  package func bind(_ values: [any StoredValue]) {
    for (place, value) in values.enumerated() { value.bind(to: self, place + 1) }
  }
}

/// The columns of a statement's current row, read from the first to the last.
package struct Cells {
  private let statement: Statement
  private var place = 0

  /// Begins with the first column.
  package init(_ statement: Statement) { self.statement = statement }

  /// The value of the next column.
  package mutating func next<Value: StoredValue>() -> Value {
    defer { place += 1 }
    return Value(stored: statement.value(place))
  }
}
