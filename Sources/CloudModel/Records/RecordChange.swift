/// A change of a record, reported by its write transaction.
public struct RecordChange: Sendable, Equatable {
  /// The record's database.
  public let scope: DatabaseScope
  /// The record's zone. A private zone always has its user as its owner; the public zone, and
  /// users' records, have none.
  public let zone: ZoneID
  /// The record before the change, in `zone`; nil for a new one.
  public let before: Record?
  /// The record after the change, in `zone`; nil for a deleted one.
  public let after: Record?

  /// Creates a change; at least one of the two records must exist.
  public init(
    in scope: DatabaseScope, _ zone: ZoneID, before: Record?, after: Record?
  ) {
    precondition(before != nil || after != nil, "a change without a record")
    self.scope = scope
    self.zone = zone
    self.before = before?.moved(to: zone)
    self.after = after?.moved(to: zone)
  }

  /// The record's type, which never changes.
  public var type: RecordType { (after ?? before)?.type ?? RecordType(stored: "") }
}

extension Record {
  /// The record, in a zone with another of its identities.
  fileprivate func moved(to zone: ZoneID) -> Record {
    var record = self
    record.zone = zone
    return record
  }
}
