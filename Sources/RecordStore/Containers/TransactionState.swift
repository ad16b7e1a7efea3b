internal import CloudModel

/// What a write transaction has done so far, besides the file. A savepoint copies it, and puts the
/// copy back when it is rolled back.
struct TransactionState {
  /// The changes of zones that are not written yet; nil before the first change.
  var changes: ChangeSet?
  /// What the operation changed, for subscriptions; nil without subscriptions.
  var journal: ChangeJournal?
  /// The indexes that a bulk insertion rebuilds at its end, by their types.
  var suspended: [(type: RecordType, indexes: [PhysicalIndex])] = []
}
