internal import Basics
public import SQLite

// The statements that read and write the rows of a table, and their seals.
extension Table {
  /// The columns that hold values: all but the number of the row and the seal.
  public var values: [String] { columns.lazy.filter { !$0.isSeal }.map(\.name) }

  /// Whether rows end with a seal.
  public var isSealed: Bool { columns.contains(where: \.isSeal) }

  // MARK: Seals

  /// An SQL expression for the seal of a row.
  func seal(_ prefix: String) -> String { seal(of: list(prefix)) }

  /// An SQL expression for the seal of a row with these values: a `list`.
  private func seal(of list: String) -> String { "ckdb_seal(" + list + ")" }

  /// The columns that hold values, with commas between them, or the SQL expressions that replace
  /// them. Every command writes such texts: they are built without arrays, and used twice.
  private func list(
    _ prefix: String = "", replacing value: ((String) -> String?)? = nil
  ) -> String {
    var list = ""
    list.reserveCapacity(256)
    var isFirst = true
    for column in columns where !column.isSeal {
      if !isFirst { list += ", " }
      isFirst = false
      if let value = value?(column.name) {
        list += value
      } else {
        if !prefix.isEmpty { list += prefix }
        list += column.name
      }
    }
    return list
  }

  /// An SQL expression: whether a row matches its seal.
  public func fits(_ alias: String? = nil) -> String {
    let prefix = alias.map { $0 + "." } ?? ""
    return fits(prefix, list(prefix))
  }

  private func fits(_ prefix: String, _ list: String) -> String {
    prefix + Column.sealName + " = " + seal(of: list)
  }

  /// Throws `corrupt` for a damaged row: `column` has the value of `fits`.
  public func require(_ row: Statement, _ column: Int) throws(StoreError) {
    if row.int64(column) != 0 { return }
    row.reset()
    throw row.damage("a row of \(name) does not match its checksum")
  }

  /// Seals rows as they are now.
  public func sealing(where condition: String? = nil) -> String {
    "UPDATE \(name) SET \(Column.sealName) = \(seal(of: list()))"
      + (condition.map { " WHERE \($0)" } ?? "")
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
    let list = list(prefix)
    let sql = numberColumn.map { prefix + $0 + ", " + list } ?? list
    return isSealed ? sql + ", " + fits(prefix, list) : sql
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
    var place = isNumbered ? 1 : 0
    var (names, places) = (
      list(),
      list { _ in
        place += 1
        return "?" + String(place)
      }
    )
    let seal = seal(of: places)
    if let numberColumn { (names, places) = (numberColumn + ", " + names, "?1, " + places) }
    if isSealed { (names, places) = (names + ", " + Column.sealName, places + ", " + seal) }
    return "INSERT" + Self.word(conflict) + " INTO " + name + "(" + names + ") VALUES (" + places
      + ")" + (conflict == .update ? upsert : "")
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
    var (names, terms) = (list(), list { name in expressions.first { $0.key == name }?.value })
    let seal = seal(of: terms)
    if let number, let numberColumn {
      (names, terms) = (numberColumn + ", " + names, number + ", " + terms)
    }
    return """
      INSERT INTO \(name)(\(names), \(Column.sealName)) SELECT \(terms), \(seal) FROM \(source)
      """
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
      sql += ", " + Column.sealName + " = "
      sql += seal(of: list { name in assignments.first { $0.key == name }?.value })
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
      sql += ", " + Column.sealName + " = "
      sql += seal(
        of: list { _ in
          place += 1
          return "?" + String(place)
        })
    }
    sql += " WHERE "
    sql += numberColumn ?? "rowid"
    sql += " = ?1"
    return sql
  }
}
