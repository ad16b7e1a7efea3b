internal import CloudModel
internal import RecordStore

/// The rules of sharing for saves and deletions of records in a zone (R10.1, R10.3).
struct SharingRules {
  let database: CloudDatabase
  let zone: StoredZone
  private var store: EnvironmentStore { database.store }
  private var isShared: Bool { database.scope == .shared }

  /// Checks that a saved share exists: a new share must be saved with its root (R10.1.3). Throws
  /// `invalidArguments`, `badDatabase` in the public database (R10.1.7), `permissionFailure` for a
  /// participant who is not an administrator (R10.2.5).
  func checkType(_ type: RecordType, _ name: RecordName) throws {
    guard type == .share else { return }
    if database.scope == .public { throw CloudError.sharesInPublic }
    guard let share = try store.share(name, in: zone), share.name == name else {
      throw CloudError(
        .invalidArguments, "A share must be saved together with its root record",
        recordName: name.text, remedy: .createShare)
    }
    guard isShared, let user = database.user else { return }
    let own = try store.participants(of: share).first { $0.user == user.text }
    guard own?.role == .administrator, own?.status == .accepted else {
      throw CloudError.notPermitted("WRITE", name)
    }
  }

  // MARK: Saves

  /// Refuses a share as a parent, and a parent for a share. Throws `invalidArguments`; for a
  /// participant `permissionFailure`, because no chain of parents leads through a share (R10.3.8).
  func checkParent(of record: Record) throws {
    guard let parent = record.parent else { return }
    if record.type == .share {
      throw CloudError(
        .invalidArguments, "A share cannot have a parent", recordName: record.name.text)
    }
    guard parent.isOfShare, try store.share(parent, in: zone)?.name == parent else { return }
    if isShared { throw CloudError.outsideOfShare(record.name, parent: parent, "CREATE") }
    throw CloudError(
      .invalidArguments, "A share cannot be the parent of a record", recordName: record.name.text,
      remedy: "use the root of the share")
  }

  /// Checks that a record may be saved; a parent among `promised` is saved by the same operation.
  /// Throws `permissionFailure` for a read-only participant (R10.3.7) and for a record outside the
  /// share (R10.3.8), `alreadyShared` if a shared record would move below another share (R10.1.5).
  func checkSave(
    of record: Record, over stored: StoredRecord?, promised: Set<String> = []
  ) throws {
    if isShared { try checkParticipant(record, over: stored, promised) }
    guard let stored, record.parent != stored.record.parent, let parent = record.parent,
      let cover = try store.cover(of: parent, in: zone)
    else { return }
    guard try store.shares(inTreeOf: stored).allSatisfy({ $0 == cover }) else {
      throw CloudError.alreadyShared(record.name)
    }
  }

  private func checkParticipant(
    _ record: Record, over stored: StoredRecord?, _ promised: Set<String>
  ) throws {
    guard let user = database.user else { throw CloudError.notSignedIn }
    try database.environment.requireUnrestricted(store.place(of: zone).account)
    let operation = stored == nil ? "CREATE" : "WRITE"
    if let whole = try store.zoneMembership(of: user, in: zone) {
      return try require(whole.permission, operation, record.name)
    }
    if let stored {
      let membership = try database.membership(covering: stored, in: zone)
      try require(membership?.permission ?? .none, operation, record.name)
      if record.parent == stored.record.parent || record.type == .share { return }
      // The root's own parent is not in the share.
      if membership?.root == record.name { throw CloudError.notPermitted(operation, record.name) }
    }
    if let parent = record.parent, promised.contains(parent.text) { return }
    let cover = try record.parent.flatMap { try store.cover(of: $0, in: zone) }
    guard let target = try cover.flatMap({ try store.membership(of: user, in: $0) }) else {
      throw CloudError.outsideOfShare(record.name, parent: record.parent, operation)
    }
    try require(target.permission, operation, record.name)
  }

  /// Checks that a record saved with promised parents is in a share that the user may write to.
  /// Throws `permissionFailure`.
  func checkSaved(_ name: RecordName) throws {
    guard isShared else { return }
    let membership = try store.record(name, in: zone, keys: []).flatMap {
      try database.membership(covering: $0, in: zone)
    }
    guard let membership else { throw CloudError.notPermitted("CREATE", name) }
    try require(membership.permission, "CREATE", name)
  }

  // MARK: Deletions

  /// Checks that a record may be deleted. Throws `permissionFailure` for a read-only participant,
  /// and for the root of a share (R10.3.7).
  func checkDeletion(of stored: StoredRecord) throws {
    guard isShared else { return }
    try database.environment.requireUnrestricted(store.place(of: zone).account)
    let membership = try database.membership(covering: stored, in: zone)
    guard membership?.root != stored.record.name else {
      var error = CloudError.notPermitted("WRITE", stored.record.name)
      error.remedy = "only the owner can delete the root of a shared hierarchy"
      throw error
    }
    try require(membership?.permission ?? .none, "WRITE", stored.record.name)
  }

  private func require(
    _ permission: SharePermission, _ operation: String, _ name: RecordName
  ) throws(CloudError) {
    if permission < .readWrite { throw .notPermitted(operation, name) }
  }
}

extension CloudError {
  /// The error for a record that is already in a share (R10.1.5).
  static func alreadyShared(_ name: RecordName) -> CloudError {
    CloudError(
      .alreadyShared, "record \(name.text) is already shared, or is above or below one that is",
      recordName: name.text)
  }

  /// The error for a record outside every shared hierarchy (R10.3.8).
  static func outsideOfShare(
    _ name: RecordName, parent: RecordName?, _ operation: String
  ) -> CloudError {
    var error = CloudError.notPermitted(operation, name)
    if parent == nil { error.remedy = "give it a parent in the shared hierarchy" }
    return error
  }

  /// The error for a share in the public database (R10.1.7).
  static let sharesInPublic = CloudError(
    .badDatabase, "Shares cannot be saved in the public database")
}
