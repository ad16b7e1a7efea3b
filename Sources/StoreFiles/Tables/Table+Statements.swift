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
  func seal(_ alias: String = "", replacing value: (String) -> String? = { _ in nil }) -> String {
    var sql = "ckdb_seal("
    append(to: &sql, alias, replacing: value)
    sql += ")"
    return sql
  }

  /// Appends the columns that hold values, with commas between them, or the SQL expressions that
  /// replace them. Every command writes such texts: they are built without arrays.
  private func append(
    to sql: inout String, _ alias: String, replacing value: (String) -> String? = { _ in nil }
  ) {
    var isFirst = true
    for column in columns where !column.isSeal {
      if !isFirst { sql += ", " }
      isFirst = false
      if let value = value(column.name) {
        sql += value
      } else {
        sql += alias
        sql += column.name
      }
    }
  }

  /// An SQL expression: whether a row matches its seal.
  public func fits(_ alias: String? = nil) -> String {
    let alias = alias.map { $0 + "." } ?? ""
    return alias + Column.sealName + " = " + seal(alias)
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
    var sql = ""
    if let numberColumn {
      sql += prefix
      sql += numberColumn
      sql += ", "
    }
    append(to: &sql, prefix)
    if isSealed {
      sql += ", "
      sql += fits(alias)
    }
    return sql
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
    var sql = "INSERT"
    sql += Self.word(conflict)
    sql += " INTO "
    sql += name
    sql += "("
    if let numberColumn {
      sql += numberColumn
      sql += ", "
    }
    append(to: &sql, "")
    if isSealed { sql += ", seal" }
    sql += ") VALUES ("
    if isNumbered { sql += "?1, " }
    var place = isNumbered ? 1 : 0
    let next = { (_: String) -> String? in
      place += 1
      return "?" + String(place)
    }
    append(to: &sql, "", replacing: next)
    if isSealed {
      place = isNumbered ? 1 : 0
      sql += ", "
      sql += seal(replacing: next)
    }
    sql += ")"
    if conflict == .update { sql += upsert }
    return sql
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
    let value = { (name: String) in expressions.first { $0.key == name }?.value }
    var (names, terms) = ("", "")
    if let number, let numberColumn {
      names = numberColumn + ", "
      terms = number + ", "
    }
    append(to: &names, "")
    append(to: &terms, "", replacing: value)
    return "INSERT INTO \(name)(\(names), \(Column.sealName)) "
      + "SELECT \(terms), \(seal(replacing: value)) FROM \(source)"
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
    var sql = "UPDATE " + name + " SET "
    for (place, assignment) in assignments.enumerated() {
      if place > 0 { sql += ", " }
      sql += assignment.key
      sql += " = "
      sql += assignment.value
    }
    if isSealed {
      sql += ", seal = "
      sql += seal { name in assignments.first { $0.key == name }?.value }
    }
    return sql
  }

  /// Sets all values of a row: its number is bound first, then the values in their order.
  var change: String {
    var sql = "UPDATE " + name + " SET "
    var place = 1
    for column in columns where !column.isSeal {
      place += 1
      if place > 2 { sql += ", " }
      sql += column.name
      sql += " = ?"
      sql += String(place)
    }
    if isSealed {
      place = 1
      sql += ", seal = "
      sql += seal { _ in
        place += 1
        return "?" + String(place)
      }
    }
    sql += " WHERE "
    sql += numberColumn ?? "rowid"
    sql += " = ?1"
    return sql
  }
}
