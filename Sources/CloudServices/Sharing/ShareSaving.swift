internal import CloudModel
internal import RecordStore

// Saving a share as one of the records of an operation (R10.1.3).
extension RecordSaving {
  /// Saves a share with its participants. A new one must be saved together with its root.
  ///
  /// Throws `invalidArguments` for a new share without its root, `referenceViolation` if the root
  /// is not there yet, as `createShare` for a hierarchy that cannot be shared, and as `edit`.
  func save(
    _ request: SaveRequest, sharing change: ShareSave, named name: RecordName
  ) throws -> SaveResult {
    let database = transaction.database
    if database.scope == .public { throw CloudError.sharesInPublic }
    let known = try database.store.share(name, in: zone)
    if let known, known.name == name { return try save(request, sharing: change, over: known) }
    guard database.scope == .private else { throw CloudError.notPermitted("CREATE", name) }
    if request.policy == .unchanged, request.tag != nil { throw CloudError.versionNotFound(name) }
    if let root = change.root { try requireRoot(root, change.rootTag, of: name) }
    var edit = change.edit
    edit.assignments = request.assignments
    let directory = try ShareDirectory(database.environment)
    var editing = try database.newShare(
      of: change.root, in: zone, named: name, edit, transaction, directory)
    try editing.apply(edit)
    return SaveResult(record: try savedShare(name), outcome: .created)
  }

  /// Throws `invalidArguments` if the operation neither saves the root nor names its version,
  /// `referenceViolation` if it has not saved it yet, `serverRecordChanged` for another version.
  private func requireRoot(
    _ root: RecordName, _ tag: ChangeTag?, of name: RecordName
  ) throws {
    if let tag, !companions.contains(root.text) {
      guard let stored = try transaction.store.record(root, in: zone)?.record else {
        throw CloudError.recordNotFound(root)
      }
      guard stored.changeTag == tag else {
        throw CloudError.tagMismatch(server: stored, client: stored)
      }
      return
    }
    guard companions.contains(root.text) else {
      throw CloudError(
        .invalidArguments, "A share must be saved together with its root record",
        recordName: name.text, remedy: .createShare)
    }
    guard try transaction.store.hasRecord(root, in: zone) else {
      throw CloudError(
        .referenceViolation, "The root record of the share does not exist", recordName: name.text)
    }
  }

  private func save(
    _ request: SaveRequest, sharing change: ShareSave, over known: StoredShare
  ) throws -> SaveResult {
    try admit(known.name, request.type, request.assignments.lazy.map(\.name))
    var result = try save(request, named: known.name)
    let database = transaction.database
    if let root = try known.root.flatMap({ try database.store.record($0, in: zone) }) {
      try database.store.renewTag(of: root)
    }
    let directory = try ShareDirectory(database.environment)
    let found = try database.found(known, in: zone)
    if change.edit.changesParticipants {
      try directory.requireManager(of: found)
      var editing = ShareEditing(found, directory)
      try editing.apply(change.edit)
    }
    result.record = try savedShare(known.name)
    return result
  }

  private func savedShare(_ name: RecordName) throws -> Record {
    guard let stored = try transaction.store.record(name, in: zone) else {
      throw CloudError.recordNotFound(name)
    }
    return stored.record
  }
}
