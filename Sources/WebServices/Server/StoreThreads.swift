#if Server
  internal import Basics

  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Darwin)
    internal import Darwin
  #endif

  /// The threads that requests run on. A request reads a store on the thread that it already has,
  /// so the threads are ours: those of Swift's tasks must not block, and are as few as processors.
  ///
  /// Usually as many threads run as there are processors: more would only contend. When all of them
  /// are in long reads, others start.
  final class StoreThreads: TaskExecutor, @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let hasWork = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [UnownedJob] = []
    private var next = 0
    private var idle = 0
    private var started = 0
    /// Grows with every job that is taken, so that standing still shows.
    private var taken: UInt64 = 0
    private let usual: Int
    private let most: Int
    private let name: String

    /// Starts no thread yet. `most` threads run when the `usual` ones do not get on.
    init(_ name: String, usual: Int, most: Int) {
      (self.name, self.usual, self.most) = (name, usual, most)
      pthread_mutex_init(lock, nil)
      pthread_cond_init(hasWork, nil)
    }

    func enqueue(_ job: consuming ExecutorJob) {
      pthread_mutex_lock(lock)
      jobs.append(UnownedJob(job))
      // A thread that was woken counts as idle until it runs.
      let needsThread = jobs.count - next > idle && started < usual
      if needsThread { started += 1 } else if idle > 0 { pthread_cond_signal(hasWork) }
      pthread_mutex_unlock(lock)
      if needsThread { start() }
    }

    /// Starts a thread if jobs wait and none was taken since the last call.
    func relieve(_ last: inout UInt64) {
      pthread_mutex_lock(lock)
      let stands = next < jobs.count && taken == last && started < most
      if stands { started += 1 }
      last = taken
      pthread_mutex_unlock(lock)
      if stands { start() }
    }

    private func start() {
      do {
        _ = try Worker { [self] in
          _ = Interrupt.leaveToOthers()
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
      while next == jobs.count {
        guard started <= usual else {
          started -= 1
          return nil
        }
        idle += 1
        pthread_cond_wait(hasWork, lock)
        idle -= 1
      }
      let job = jobs[next]
      next += 1
      taken += 1
      if next == jobs.count {
        jobs.removeAll(keepingCapacity: true)
        next = 0
      } else if next > 1000 {
        jobs.removeFirst(next)
        next = 0
      }
      return job
    }
  }
#endif
