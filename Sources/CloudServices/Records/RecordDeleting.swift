internal import CloudModel
internal import RecordStore

/// Deletes records of one zone, within a write transaction.
struct RecordDeleting {
  let transaction: WriteTransaction
  let zone: StoredZone
  private var database: CloudDatabase { transaction.database }
  private var store: EnvironmentStore { database.store }

  init(_ transaction: WriteTransaction, zone: StoredZone) {
    self.transaction = transaction
    self.zone = zone
  }

  /// Deletes a record and its cascades; returns false if no record has the name. With a tag it must
  /// be that version. Throws `CloudError`.
  func delete(_ name: RecordName, tag: ChangeTag?) throws -> Bool {
    guard let stored = try record(name, tag: tag) else { return false }
    if database.scope == .shared, stored.record.type == .share {
      try database.leave(stored, in: zone)
      return true
    }
    if let error = try ReferenceRules(database: database, zone: zone).delete([stored])[
      stored.number]
    {
      throw error
    }
    return true
  }

  /// Returns a record that the writer may delete; nil if none has the name. Throws `CloudError`.
  func record(_ name: RecordName, tag: ChangeTag?) throws -> StoredRecord? {
    guard let stored = try database.record(name, in: zone) else { return nil }
    try UserRules(database: database).checkDeletion(name)
    let rules = database.permissions
    try rules.requireWrite(stored)
    if stored.record.type != .share {
      try SharingRules(database: database, zone: zone).checkDeletion(of: stored)
    }
    if let tag, tag != stored.record.changeTag {
      var client = stored.record
      client.changeTag = tag
      throw try rules.conflict(.tagMismatch(server: stored.record, client: client), with: stored)
    }
    return stored
  }
}
