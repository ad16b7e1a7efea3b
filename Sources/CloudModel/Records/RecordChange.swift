/// A change of a record, as the write transaction that makes it reports it.
public struct RecordChange: Sendable, Equatable {
  /// The database that the record is in.
  public let scope: DatabaseScope
  /// Whose zone it is in; nil for the public database, and for the records of users.
  public let owner: UserRecordName?
  /// The record before; nil for one that is made.
  public let before: Record?
  /// The record after; nil for one that is deleted.
  public let after: Record?

  /// Puts a change together; one of the two records is there.
  public init(
    in scope: DatabaseScope, of owner: UserRecordName?, before: Record?, after: Record?
  ) {
    precondition(before != nil || after != nil, "a change without a record")
    self.scope = scope
    self.owner = owner
    self.before = before
    self.after = after
  }

  /// The record's type; it never changes.
  public var type: RecordType { (after ?? before)?.type ?? RecordType(stored: "") }
}
