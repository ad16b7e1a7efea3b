internal import Basics
internal import Synchronization

/// Calls `work` with the numbers below `count`, in several threads. Throws the first error, after
/// which no more are begun.
func inParallel(_ count: Int, _ work: @Sendable (Int) throws -> Void) throws {
  let next = Atomic<Int>(0)
  let failure = Locked<(any Error)?>(nil)
  let loop: @Sendable () -> Void = {
    while failure.withLock({ $0 == nil }) {
      let place = next.add(1, ordering: .relaxed).oldValue
      guard place < count else { return }
      do { try work(place) } catch { failure.withLock { $0 = $0 ?? error } }
    }
  }
  try withoutActuallyEscaping(loop) { loop in
    var workers: [Worker] = []
    defer { workers.forEach { $0.join() } }
    for _ in 0..<min(mostTransfers, count) { workers.append(try Worker(loop)) }
  }
  if let error = failure.withLock({ $0 }) { throw error }
}

/// How many files are sent or received at a time.
private let mostTransfers = 6
