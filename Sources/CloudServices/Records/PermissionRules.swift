internal import CloudModel
internal import RecordStore

/// Who may change records of the public database: the grants that a type has when a save makes
/// it are READ to everybody, CREATE to whoever is signed in, WRITE to the creator (rule 11.4.3).
/// They do not concern other databases.
struct PermissionRules {
  let database: CloudDatabase
  let writer: StoredUser

  /// Whether the writer may update or delete a stored record (rule 11.4.2). Throws
  /// `permissionFailure` (rule 11.4.4).
  func requireWrite(_ stored: StoredRecord) throws(CloudError) {
    guard database.scope == .public, stored.record.created?.by != writer.name else { return }
    var error = CloudError.notPermitted("WRITE", stored.record.name)
    error.hint = "only the creator of a record of \(stored.record.type.text) may change it"
    throw error
  }
}
