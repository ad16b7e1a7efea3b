internal import Basics
internal import CloudModel

/// Writes views of records while the store reads the next ones: once there are more than a batch,
/// on a thread of its own. Whoever makes one calls `finish` before the output is used again, also
/// after an error.
final class RecordViewPipe {
  private let end: WritingEnd
  private var batch = RecordViewBatch()
  private var thread: Worker?
  private var mask: Interrupt.SignalMask?
  /// Whether there is no thread to be had.
  private var isAlone = false

  /// Batches go one way filled, the other way empty; each has one owner at a time.
  private struct Parcel: @unchecked Sendable {
    let batch: RecordViewBatch
  }

  /// What only the thread that writes uses.
  private final class WritingEnd: @unchecked Sendable {
    let full = Channel<Parcel>(capacity: 2)
    let empty = Channel<Parcel>(capacity: 4)
    private let write: (RecordView) -> Bool

    init(_ write: @escaping (RecordView) -> Bool) {
      self.write = write
      for _ in 0..<3 { _ = empty.send(Parcel(batch: RecordViewBatch())) }
    }

    /// Writes a batch; false when the output is not wanted any longer.
    func write(_ batch: RecordViewBatch) -> Bool {
      var isWanted = true
      batch.forEach { if isWanted { isWanted = write($0) } }
      batch.removeAll()
      return isWanted
    }

    func run() {
      while let parcel = full.receive() {
        guard write(parcel.batch) else { break }
        _ = empty.send(parcel)
      }
      full.close()
      empty.close()
    }
  }

  /// `write` writes a view, and returns false when the output is not wanted any longer.
  init(_ write: @escaping (RecordView) -> Bool) { end = WritingEnd(write) }

  /// Takes a copy of a view; false when the output is not wanted any longer.
  func add(_ view: RecordView) -> Bool {
    if batch.add(view) { return true }
    guard handOn() else { return false }
    return batch.add(view)
  }

  /// Lets the batch be written and takes an empty one.
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

  /// Writes what is left, and waits until all is written.
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
