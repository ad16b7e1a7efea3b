/// A change of a record, as the write transaction that makes it reports it.
public struct RecordChange: Sendable, Equatable {
  /// The database that the record is in.
  public let scope: DatabaseScope
  /// The zone that it is in. A private zone has the name of its user as its owner, whoever acts;
  /// the public one, and the records of users, have none.
  public let zone: ZoneID
  /// The record before, in `zone`; nil for one that is made.
  public let before: Record?
  /// The record after, in `zone`; nil for one that is deleted.
  public let after: Record?

  /// Puts a change together; one of the two records is there.
  public init(
    in scope: DatabaseScope, _ zone: ZoneID, before: Record?, after: Record?
  ) {
    precondition(before != nil || after != nil, "a change without a record")
    self.scope = scope
    self.zone = zone
    self.before = before?.moved(to: zone)
    self.after = after?.moved(to: zone)
  }

  /// The record's type; it never changes.
  public var type: RecordType { (after ?? before)?.type ?? RecordType(stored: "") }
}

extension Record {
  /// The record, in a zone by another of its identities.
  fileprivate func moved(to zone: ZoneID) -> Record {
    var record = self
    record.zone = zone
    return record
  }
}
