internal import Basics
internal import CloudModel

/// Writes views of records while the store reads the next ones; once there is more than one batch,
/// on a second thread. Call `finish` before you use the output again, even after an error.
final class RecordViewPipe {
  private let end: WritingEnd
  private var batch = RecordViewBatch()
  private var thread: Worker?
  private var mask: Interrupt.SignalMask?
  /// Whether no thread could be started.
  private var isAlone = false

  /// Full batches go to the writer and come back empty; each has one owner at a time.
  private struct Parcel: @unchecked Sendable {
    let batch: RecordViewBatch
  }

  /// The writer. Once its thread has started, only that thread writes.
  private final class WritingEnd: @unchecked Sendable {
    let full = Channel<Parcel>(capacity: 2)
    /// Has room for all batches, so that the writer never waits.
    let empty = Channel<Parcel>(capacity: 4)
    private let write: (RecordView) -> Bool

    init(_ write: @escaping (RecordView) -> Bool) { self.write = write }

    /// Writes a batch and empties it. Returns false once the output has no reader.
    func write(_ batch: RecordViewBatch) -> Bool {
      var isWanted = true
      batch.forEach { if isWanted { isWanted = write($0) } }
      batch.removeAll()
      return isWanted
    }

    func run() {
      for _ in 0..<3 { _ = empty.send(Parcel(batch: RecordViewBatch())) }
      while let parcel = full.receive() {
        guard write(parcel.batch) else { break }
        _ = empty.send(parcel)
      }
      full.close()
      empty.close()
    }
  }

  /// Creates a pipe over `write`, which writes one view and returns false once the output has no
  /// reader.
  init(_ write: @escaping (RecordView) -> Bool) { end = WritingEnd(write) }

  /// Queues a copy of a view. Returns false once the output has no reader.
  func add(_ view: RecordView) -> Bool {
    if batch.add(view) { return true }
    guard handOn() else { return false }
    return batch.add(view)
  }

  /// Sends the batch to the writer and takes an empty one.
  private func handOn() -> Bool {
    if thread == nil, !isAlone {
      thread = try? Worker { [end] in end.run() }
      isAlone = thread == nil
      if !isAlone { mask = Interrupt.leaveToOthers() }
    }
    if isAlone { return end.write(batch) }
    guard end.full.send(Parcel(batch: batch)), let next = end.empty.receive() else { return false }
    batch = next.batch
    return true
  }

  /// Writes the last batch and waits until everything is written.
  func finish() {
    guard let thread else {
      _ = end.write(batch)
      return
    }
    if !batch.isEmpty { _ = end.full.send(Parcel(batch: batch)) }
    end.full.close()
    thread.join()
    mask?.restore()
    (self.thread, mask) = (nil, nil)
    batch = RecordViewBatch()
  }
}
