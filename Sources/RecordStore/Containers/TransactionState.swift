internal import CloudModel

/// What a write transaction has done so far, besides the file. A savepoint copies it, and puts the
/// copy back when it is rolled back.
struct TransactionState {
  /// The changes of zones that are not written yet; nil while nothing is written.
  var changes: ChangeSet?
  /// What the operation changed, for subscriptions; nil without subscriptions.
  var journal: ChangeJournal?
  /// The indexes that a bulk insertion does without until its end, by their types.
  var suspended: [(type: RecordType, indexes: [PhysicalIndex])] = []
}
