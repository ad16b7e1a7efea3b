#if Server
  internal import Basics

  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Darwin)
    internal import Darwin
  #endif

  /// The threads of work that may take long. It blocks while it reads a store, which event loops
  /// and Swift's own task threads must not: there are only as many as processors.
  ///
  /// Usually one thread runs per processor: more would only contend. When all are busy with long
  /// reads, more start.
  final class StoreThreads: TaskExecutor, @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let hasWork = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs = FIFOQueue<UnownedJob>()
    private var idle = 0
    private var started = 0
    /// Counts the jobs taken, so that `relieve` notices when none was.
    private var taken: UInt64 = 0
    private let usual: Int
    private let most: Int
    private let name: String

    /// Starts no thread yet. `name` is that of its threads. Up to `most` run while the `usual` ones
    /// are stuck.
    init(_ name: String, usual: Int, most: Int) {
      (self.name, self.usual, self.most) = (name, usual, most)
      pthread_mutex_init(lock, nil)
      pthread_cond_init(hasWork, nil)
    }

    func enqueue(_ job: consuming ExecutorJob) {
      pthread_mutex_lock(lock)
      jobs.append(UnownedJob(job))
      // A thread that was woken counts as idle until it runs.
      let needsThread = jobs.count > idle && started < usual
      let wakesThread = !needsThread && idle > 0
      if needsThread { started += 1 }
      pthread_mutex_unlock(lock)
      // Not under the lock, on which the thread would wait at once.
      if wakesThread { pthread_cond_signal(hasWork) }
      if needsThread { start() }
    }

    /// Starts a thread if jobs wait and none was taken since the last call.
    func relieve(_ last: inout UInt64) {
      pthread_mutex_lock(lock)
      let isStuck = !jobs.isEmpty && taken == last && started < most
      if isStuck { started += 1 }
      last = taken
      pthread_mutex_unlock(lock)
      if isStuck { start() }
    }

    private func start() {
      do {
        _ = try Worker { [self] in
          _ = Interrupt.leaveToOthers()
          Platform.nameThread(name)
          let executor = asUnownedTaskExecutor()
          while let job = take() { job.runSynchronously(on: executor) }
        }
      } catch {
        pthread_mutex_lock(lock)
        started -= 1
        let isAlone = started == 0
        pthread_mutex_unlock(lock)
        precondition(!isAlone, "no thread can be started: \(error)")
      }
    }

    /// Waits for a job; returns nil to a thread that is no longer needed.
    private func take() -> UnownedJob? {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      while true {
        if let job = jobs.popFirst() {
          taken += 1
          return job
        }
        guard started <= usual else {
          started -= 1
          return nil
        }
        idle += 1
        pthread_cond_wait(hasWork, lock)
        idle -= 1
      }
    }
  }
#endif
