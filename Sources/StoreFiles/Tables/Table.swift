internal import Basics

/// One SQLite table of ours, described once. Its CREATE statement, the steps of upgrades, the
/// statements that read and write its rows, the doctor's model and the rule of a salvage come from
/// the description.
///
/// Our names begin with `_`; CloudKit's names cannot.
public struct Table: Sendable {
  /// The name.
  public let name: String
  /// What a row is, in one line.
  public let summary: String
  /// The first version of the database that has it.
  public let since: UInt32
  /// The primary key.
  public let key: Key
  /// The columns in the order of the CREATE statement, without the number of the row. Those of
  /// later versions come last, as ALTER TABLE adds them.
  public let columns: [Column]
  /// The columns that are unique together; empty if the key or a column alone says it.
  public let unique: [String]
  /// The indexes that every database has.
  public let indexes: [TableIndex]
  /// Whose rows are summed in `_sum`; nil for a table without sums.
  public let owner: Owner?
  /// How a salvage keeps the rows of a damaged database.
  public let salvage: SalvageRule

  /// A primary key.
  public enum Key: Sendable {
    /// The number of the row, in a column of its own.
    case number(String)
    /// The first column.
    case first
    /// Several columns.
    case columns([String])

    /// The number of the row, in `_id`.
    public static let rowNumber = Key.number("_id")
  }

  /// How a salvage keeps the rows of a table.
  public enum SalvageRule: Sendable {
    /// Rows that match their seals are kept, by their numbers or keys.
    case kept
    /// All rows are kept as they are, even damaged ones: other rows refer to them.
    case keptAsRead
    /// The rows are rebuilt from others, by code of that kind of database.
    case rebuilt
  }

  /// Describes a table.
  public init(
    _ name: String, _ summary: String, since: UInt32, key: Key = .rowNumber, _ columns: [Column],
    unique: [String] = [], indexes: [TableIndex] = [], owner: Owner? = nil, salvage: SalvageRule
  ) {
    (self.name, self.summary, self.since, self.key) = (name, summary, since, key)
    (self.columns, self.unique, self.indexes) = (columns, unique, indexes)
    (self.owner, self.salvage) = (owner, salvage)
  }

  /// Whether rows have numbers.
  public var isNumbered: Bool { numberColumn != nil }

  /// The column of the row's number; nil for a table without row numbers.
  public var numberColumn: String? { if case .number(let name) = key { name } else { nil } }
}

/// A column of a table of ours.
public struct Column: Sendable {
  /// The name.
  public let name: String
  let type: String
  let isNullable: Bool
  let isUnique: Bool
  let defaultValue: String?
  /// The first version of the database that has it; 0 for that of its table.
  let since: UInt32

  private init(
    _ name: String, _ type: String, isNullable: Bool = false, isUnique: Bool = false,
    default defaultValue: String? = nil, since: UInt32 = 0
  ) {
    (self.name, self.type, self.isNullable) = (name, type, isNullable)
    (self.isUnique, self.defaultValue, self.since) = (isUnique, defaultValue, since)
  }

  /// An integer.
  public static func integer(_ name: String, default value: String? = nil) -> Column {
    Column(name, "INTEGER", default: value)
  }

  /// An integer or NULL.
  public static func optionalInteger(_ name: String) -> Column {
    Column(name, "INTEGER", isNullable: true)
  }

  /// A text.
  public static func text(
    _ name: String, isUnique: Bool = false, default value: String? = nil, since: UInt32 = 0
  ) -> Column {
    Column(name, "TEXT", isUnique: isUnique, default: value, since: since)
  }

  /// A text or NULL.
  public static func optionalText(_ name: String, since: UInt32 = 0) -> Column {
    Column(name, "TEXT", isNullable: true, since: since)
  }

  /// The hash of the other columns of a row. It reveals a flipped bit within a value, which
  /// SQLite's integrity check does not. It does not cover the row's number: rows that refer to it
  /// reveal damage there.
  public static func seal(default value: String? = nil, since: UInt32 = 0) -> Column {
    Column(sealName, "INTEGER", default: value, since: since)
  }

  static var sealName: String { "seal" }
  var isSeal: Bool { name == Self.sealName }
}

/// An index that every database of a format has.
public struct TableIndex: Sendable {
  /// The name.
  public let name: String
  let columns: String
  let condition: String?

  /// An index of columns, for the rows that a condition selects.
  public init(_ name: String, _ columns: String, where condition: String? = nil) {
    (self.name, self.columns, self.condition) = (name, columns, condition)
  }
}

// MARK: CREATE and ALTER

extension Table {
  /// The statements that make the table and its indexes as a version of the database had them.
  public func creation(asOf version: UInt32) -> String {
    var definitions = columns(asOf: version).map(definition)
    if let numberColumn { definitions.insert("\(numberColumn) INTEGER PRIMARY KEY", at: 0) }
    if case .columns(let names) = key {
      definitions.append("PRIMARY KEY(\(names.separated(by: ", ")))")
    }
    if !unique.isEmpty { definitions.append("UNIQUE(\(unique.separated(by: ", ")))") }
    let options = isNumbered ? "STRICT" : "STRICT, WITHOUT ROWID"
    let table = "CREATE TABLE \(name)(\(definitions.separated(by: ", "))) \(options);\n"
    return indexes.reduce(into: table) { $0 += creation(of: $1) }
  }

  /// The statements that upgrade the table from the previous version to this one.
  ///
  /// They describe the table as it was in that version, never as it is today.
  public func upgrade(to version: UInt32) -> String {
    if since == version { return creation(asOf: version) }
    guard since < version else { return "" }
    return columns.filter { $0.since == version }.reduce(into: "") {
      $0 += "ALTER TABLE \(name) ADD COLUMN \(definition(of: $1));\n"
    }
  }

  /// The version that added the table or its newest column.
  var lastChange: UInt32 { columns.reduce(since) { max($0, $1.since) } }

  private func columns(asOf version: UInt32) -> [Column] { columns.filter { $0.since <= version } }

  private func definition(of column: Column) -> String {
    var text = "\(column.name) \(column.type)"
    if case .first = key, column.name == columns.first?.name {
      text += " PRIMARY KEY"
    } else if !column.isNullable {
      text += " NOT NULL"
    }
    if let value = column.defaultValue { text += " DEFAULT \(value)" }
    return column.isUnique ? text + " UNIQUE" : text
  }

  private func creation(of index: TableIndex) -> String {
    let condition = index.condition.map { " WHERE \($0)" } ?? ""
    return "CREATE INDEX \(index.name) ON \(name)(\(index.columns))\(condition);\n"
  }
}
