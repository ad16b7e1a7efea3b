public import CloudModel
public import SQLite

/// A value that a column can hold.
public protocol StoredValue {
  /// Reads it.
  init(stored column: Statement.ColumnValue)
  /// Binds it to a place of a statement.
  func bind(to statement: Statement, _ place: Int)
}

extension Int64: StoredValue {
  public init(stored column: Statement.ColumnValue) { self = column.int64 }
  public func bind(to statement: Statement, _ place: Int) { statement.bind(self, place) }
}

extension Int: StoredValue {
  public init(stored column: Statement.ColumnValue) { self.init(truncatingIfNeeded: column.int64) }
  public func bind(to statement: Statement, _ place: Int) { statement.bind(Int64(self), place) }
}

/// A checksum, as the integer with the same bits.
extension UInt64: StoredValue {
  public init(stored column: Statement.ColumnValue) { self.init(bitPattern: column.int64) }
  public func bind(to statement: Statement, _ place: Int) {
    statement.bind(Int64(bitPattern: self), place)
  }
}

extension Bool: StoredValue {
  public init(stored column: Statement.ColumnValue) { self = column.int64 != 0 }
  public func bind(to statement: Statement, _ place: Int) {
    statement.bind(Int64(self ? 1 : 0), place)
  }
}

/// Milliseconds since 1970.
extension Timestamp: StoredValue {
  public init(stored column: Statement.ColumnValue) { self.init(milliseconds: column.int64) }
  public func bind(to statement: Statement, _ place: Int) { statement.bind(milliseconds, place) }
}

extension String: StoredValue {
  public init(stored column: Statement.ColumnValue) {
    self.init(decoding: column.utf8, as: UTF8.self)
  }
  public func bind(to statement: Statement, _ place: Int) { statement.bind(self, place) }
}

extension Optional: StoredValue where Wrapped: StoredValue {
  public init(stored column: Statement.ColumnValue) {
    self = column.isNull ? nil : Wrapped(stored: column)
  }
  public func bind(to statement: Statement, _ place: Int) {
    if let self { self.bind(to: statement, place) } else { statement.bindNull(place) }
  }
}

/// A name of CloudKit's, which its text says.
public protocol StoredName: StoredValue {
  /// A name that was checked before it was stored.
  init(stored text: String)
  /// Its text.
  var stored: String { get }
}

extension StoredName {
  public init(stored column: Statement.ColumnValue) { self.init(stored: String(stored: column)) }
  public func bind(to statement: Statement, _ place: Int) { statement.bind(stored, place) }
}

extension Account: StoredName { public var stored: String { name } }
extension Device: StoredName { public var stored: String { name } }
extension SecurityRole: StoredName { public var stored: String { name } }
extension DocumentPath: StoredName { public var stored: String { text } }
extension ZoneName: StoredName { public var stored: String { text } }
extension RecordName: StoredName { public var stored: String { text } }
extension RecordType: StoredName { public var stored: String { text } }
extension FieldName: StoredName { public var stored: String { text } }
extension UserRecordName: StoredName { public var stored: String { text } }
extension SubscriptionID: StoredName { public var stored: String { text } }

extension Statement {
  /// Binds values to the first places.
  public func bind(_ values: [any StoredValue]) {
    for (place, value) in values.enumerated() { value.bind(to: self, place + 1) }
  }
}

/// The columns of a statement's current row, read from the first to the last.
public struct Cells {
  private let statement: Statement
  private var place = 0

  /// Begins with the first column.
  public init(_ statement: Statement) { self.statement = statement }

  /// The value of the next column.
  public mutating func next<Value: StoredValue>() -> Value {
    defer { place += 1 }
    return Value(stored: statement.value(place))
  }
}
