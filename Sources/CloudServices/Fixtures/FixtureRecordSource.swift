internal import Basics
internal import CloudModel

/// Makes the records of a fixture from their texts, and prepares their rows, in a thread of its
/// own; at most a few batches are in memory.
final class FixtureRecordSource: @unchecked Sendable {
  private let records: AnyIterator<FixtureRecord>
  private var preparer: DraftPreparer
  private let channel = Channel<ImportBatch>(capacity: 4)
  /// Processed batches return here and are reused.
  private let spent = Channel<ImportBatch>(capacity: 8)
  /// Waking the other thread costs tens of microseconds.
  private static let batchSize = 512
  /// Below this number another thread does not pay off.
  private static let fewRecords = 500
  /// The first records make their types known, so that the rows of the others can be prepared.
  private static let firstRecords = 64

  /// Reads records for an import with these layouts.
  init(_ records: FixtureRecords, _ layouts: ImportLayouts) {
    self.records = records.makeIterator()
    hasFew = records.expectedCount < Self.fewRecords
    preparer = DraftPreparer(layouts)
  }

  private let hasFew: Bool

  /// Passes each record with its batch to `body`. Throws what `body` throws, and `SystemError` if
  /// no thread can be started.
  func read(_ body: (ImportBatch.Item, ImportBatch) throws -> Void) throws {
    var batch = ImportBatch()
    for _ in 0..<(hasFew ? .max : Self.firstRecords) {
      batch.removeAll()
      guard prepareNext(&batch) else { return }
      for item in batch.items { try body(item, batch) }
    }
    let worker = try Worker { self.produce() }
    defer {
      channel.close()
      worker.join()
    }
    while let batch = channel.receive() {
      for item in batch.items { try body(item, batch) }
      _ = spent.send(batch)
    }
  }

  private func prepareNext(_ batch: inout ImportBatch) -> Bool {
    guard var draft = records.next()?.draft else { return false }
    preparer.add(&draft, text: .init(start: nil, count: 0), to: &batch)
    return true
  }

  private func produce() {
    defer { channel.close() }
    var hasMore = true
    while hasMore {
      var batch = spent.tryReceive() ?? ImportBatch()
      batch.removeAll()
      while hasMore, batch.items.count < Self.batchSize { hasMore = prepareNext(&batch) }
      guard channel.send(batch) else { return }
    }
  }
}
