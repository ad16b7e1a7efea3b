public import CloudModel
internal import SQLite
public import StoreFiles

// Roles and grants. The record of a user says which roles the user has.
extension EnvironmentStore {
  /// The roles of the app, in the byte order of their names.
  public func roles() throws(StoreError) -> [SecurityRole] {
    try database.all("SELECT \(EnvironmentTables.role.selection()) FROM _role ORDER BY name") {
      (row) throws(StoreError) in try Row(EnvironmentTables.role, in: row)["name"]
    }
  }

  /// Adds a role.
  public func addRole(_ role: SecurityRole) throws(StoreError) {
    try database.insert(EnvironmentTables.role, ["name": role], .ignore)
    try catalog.changed()
  }

  /// Removes a role; users keep its number, and have the role again when it is added again (C246).
  public func removeRole(_ role: SecurityRole) throws(StoreError) {
    try database.delete(from: EnvironmentTables.role, "name = ?", [role])
    try catalog.changed()
  }

  /// Changes the grants of a type in the public database.
  public func setGrants(_ grants: Grants, of table: TypeTable) throws(StoreError) {
    try catalog.setGrants(grants, of: table)
  }
}
