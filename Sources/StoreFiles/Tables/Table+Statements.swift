internal import Basics
public import SQLite

// The statements that read and write the rows of a table, and their seals.
extension Table {
  /// The columns that hold values: all but the number of the row and the seal.
  public var values: [String] { columns.lazy.filter { !$0.isSeal }.map(\.name) }

  /// Whether rows end with a seal.
  public var isSealed: Bool { columns.contains(where: \.isSeal) }

  // MARK: Seals

  /// An SQL expression for the seal of a row; `replacing` has other values for some columns.
  func seal(_ alias: String = "", replacing: [(String, String)] = []) -> String {
    let terms = values.map { name in
      replacing.first { $0.0 == name }?.1 ?? alias + name
    }
    return "ckdb_seal(\(terms.separated(by: ", ")))"
  }

  /// An SQL expression: whether a row matches its seal.
  public func fits(_ alias: String? = nil) -> String {
    let alias = alias.map { $0 + "." } ?? ""
    return "\(alias)\(Column.sealName) = \(seal(alias))"
  }

  /// Throws `corrupt` for a damaged row: `column` has the value of `fits`.
  public func require(_ row: Statement, _ column: Int) throws(StoreError) {
    if row.int64(column) != 0 { return }
    row.reset()
    throw row.damage("a row of \(name) does not match its checksum")
  }

  /// Seals rows as they are now.
  public func sealing(where condition: String? = nil) -> String {
    "UPDATE \(name) SET \(Column.sealName) = \(seal())" + (condition.map { " WHERE \($0)" } ?? "")
      + ";"
  }

  /// Adds the SQL function `ckdb_seal`, which statements that read or write sealed rows use.
  public static func addSealFunction(to connection: Connection) throws(StoreError) {
    try onSQLite { () throws(SQLiteError) in try connection.addChecksum("ckdb_seal", seed: 2) }
  }

  // MARK: Statements

  /// The columns of a `Row`: the number, the values, and whether the row matches its seal.
  public func selection(_ alias: String? = nil) -> String {
    let prefix = alias.map { $0 + "." } ?? ""
    var terms = values.map { prefix + $0 }
    if let numberColumn { terms.insert(prefix + numberColumn, at: 0) }
    if isSealed { terms.append(fits(alias)) }
    return terms.separated(by: ", ")
  }

  /// The number of columns of `selection`.
  public var width: Int { columns.count + (isNumbered ? 1 : 0) }

  /// What an insertion does if the table has a row with the same key.
  public enum Conflict: Sendable {
    case fail
    case ignore
    case replace
    /// Updates the existing row.
    case update
  }

  /// Inserts a row; its number and its values are bound in this order.
  public func insertion(_ conflict: Conflict = .fail) -> String {
    let names = (numberColumn.map { [$0] } ?? []) + values
    let places = names.indices.map { "?\($0 + 1)" }
    let replacing = Array(zip(names, places))
    var columns = names.separated(by: ", ")
    var terms = places.separated(by: ", ")
    if isSealed {
      columns += ", " + Column.sealName
      terms += ", " + seal(replacing: replacing)
    }
    return "INSERT\(Self.word(conflict)) INTO \(name)(\(columns)) VALUES (\(terms))"
      + (conflict == .update ? upsert : "")
  }

  private static func word(_ conflict: Conflict) -> String {
    switch conflict {
    case .fail, .update: ""
    case .ignore: " OR IGNORE"
    case .replace: " OR REPLACE"
    }
  }

  /// Inserts the rows of a query `from`: columns of the same names, or SQL expressions. Rows get
  /// the next free numbers unless `number` gives one.
  public func insertion(
    of expressions: KeyValuePairs<String, String>, number: String? = nil, from source: String
  ) -> String {
    let replacing = expressions.map { ($0.key, $0.value) }
    var (names, terms) = (
      values, values.map { name in replacing.first { $0.0 == name }?.1 ?? name }
    )
    if let number, let numberColumn {
      names.insert(numberColumn, at: 0)
      terms.insert(number, at: 0)
    }
    return "INSERT INTO \(name)(\(names.separated(by: ", ")), \(Column.sealName)) "
      + "SELECT \(terms.separated(by: ", ")), \(seal(replacing: replacing)) FROM \(source)"
  }

  /// Overwrites the existing row with the values to insert.
  public var upsert: String {
    let key: [String] =
      switch self.key {
      case .columns(let names): names
      case .first: [columns[0].name]
      case .number(let name): unique.isEmpty ? [name] : unique
      }
    let names = columns.map(\.name).filter { !key.contains($0) }
    let assignments = names.map { "\($0) = excluded.\($0)" }
    return " ON CONFLICT(\(key.separated(by: ", "))) DO UPDATE SET "
      + assignments.separated(by: ", ")
  }

  /// Sets columns to SQL expressions, and a new seal; a condition follows.
  public func update(_ assignments: KeyValuePairs<String, String>) -> String {
    let replacing = assignments.map { ($0.key, $0.value) }
    var terms = replacing.map { "\($0.0) = \($0.1)" }
    if isSealed { terms.append("\(Column.sealName) = \(seal(replacing: replacing))") }
    return "UPDATE \(name) SET \(terms.separated(by: ", "))"
  }

  /// Sets all values of a row: its number is bound first, then the values in their order.
  var change: String {
    let replacing = values.enumerated().map { ($0.element, "?\($0.offset + 2)") }
    var terms = replacing.map { "\($0.0) = \($0.1)" }
    if isSealed { terms.append("\(Column.sealName) = \(seal(replacing: replacing))") }
    return "UPDATE \(name) SET \(terms.separated(by: ", ")) WHERE \(numberColumn ?? "rowid") = ?1"
  }
}
