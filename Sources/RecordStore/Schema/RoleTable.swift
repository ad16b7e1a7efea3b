public import CloudModel
internal import SQLite
public import StoreFiles

// Roles and grants; who has a role is in the record of the user.
extension EnvironmentStore {
  /// The roles of the app, in the byte order of their names.
  public func roles() throws(StoreError) -> [SecurityRole] {
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        "SELECT name, \(RowSeal.fits("_role")) FROM _role ORDER BY name")
      var roles: [SecurityRole] = []
      while try statement.step() {
        try RowSeal.require(statement, 1, of: "_role")
        roles.append(SecurityRole(stored: statement.text(0)))
      }
      return roles
    }
  }

  /// Adds a role.
  public func addRole(_ role: SecurityRole) throws(StoreError) {
    try run("INSERT OR IGNORE INTO _role(name, seal) VALUES (?1, ckdb_seal(?1))", role)
  }

  /// Removes a role; users keep its number, and have it again when it comes back (C246).
  public func removeRole(_ role: SecurityRole) throws(StoreError) {
    try run("DELETE FROM _role WHERE name = ?1", role)
  }

  private func run(_ text: String, _ role: SecurityRole) throws(StoreError) {
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(text)
      statement.bind(role.name, 1)
      try statement.run()
      try catalog.changed()
    }
  }

  /// Changes who may do what with the records of a type in the public database.
  public func setGrants(_ grants: Grants, of table: TypeTable) throws(StoreError) {
    try sql { () throws(SQLiteError) in try catalog.setGrants(grants, of: table) }
  }
}
