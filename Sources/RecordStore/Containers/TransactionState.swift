internal import CloudModel

/// What a write transaction has done so far, apart from the file. A savepoint copies it, and a
/// rollback to the savepoint restores the copy.
struct TransactionState {
  /// The changes of zones that are not written yet; nil before the first change.
  var changes: ChangeSet?
  /// What the operation changed, for subscriptions; nil without subscriptions.
  var journal: ChangeJournal?
  /// The indexes that a bulk insertion rebuilds at its end, by their types.
  var suspended: [(type: RecordType, indexes: [PhysicalIndex])] = []
}
