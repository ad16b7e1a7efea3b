#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// The writes to an environment. Waiting writes are committed together: each is a savepoint of
  /// one transaction, and all are answered after its one synchronization. So writes do not wait for
  /// each other's locks, and readers' threads never wait.
  final class WriteLane: Sendable {
    private let environments: OpenEnvironments
    private let container: ContainerID
    private let environment: Environment
    private let threads: StoreThreads
    private let state = Locked(State())
    /// The most writes in a transaction, so that the first does not wait long for the last.
    private static let mostTogether = 64

    private struct State: Sendable {
      var waiting: [Job] = []
      var isRunning = false
    }

    /// A write that waits.
    private struct Job: Sendable {
      let request: Request
      let work: @Sendable (CloudEnvironment) throws -> Answer
      let finish: @Sendable (Result<Answer, any Error>) -> Void
    }

    init(
      _ container: ContainerID, _ environment: Environment, of environments: OpenEnvironments,
      on threads: StoreThreads
    ) {
      (self.container, self.environment) = (container, environment)
      (self.environments, self.threads) = (environments, threads)
    }

    /// Does a write after those that were given before; waits without holding a thread. Throws what
    /// `work` throws, or the error for which its transaction failed.
    func write(
      for request: Request, _ work: @escaping @Sendable (CloudEnvironment) throws -> Answer
    ) async throws -> Answer {
      try await withCheckedThrowingContinuation { continuation in
        let job = Job(request: request, work: work) { continuation.resume(with: $0) }
        let starts = state.withLock { state in
          state.waiting.append(job)
          defer { state.isRunning = true }
          return !state.isRunning
        }
        if starts { Task(executorPreference: threads) { self.runAll() } }
      }
    }

    private func runAll() {
      while true {
        let batch = state.withLock { state in
          let batch = state.waiting.prefix(Self.mostTogether)
          state.waiting.removeFirst(batch.count)
          if batch.isEmpty { state.isRunning = false }
          return Array(batch)
        }
        if batch.isEmpty { return }
        run(batch)
      }
    }

    private func run(_ batch: [Job]) {
      var results: [Result<Answer, any Error>] = []
      let first = batch[0].request
      do {
        // If the first of several clients disconnects, the others' writes must continue.
        let request = batch.count == 1 ? first : first.withoutInterruption
        try environments.with(container, environment, for: request) { open in
          if batch.count == 1 {
            results = [Result { try batch[0].work(open) }]
          } else {
            results = try runTogether(batch, open)
          }
        }
      } catch { results = batch.map { _ in .failure(error) } }
      for (job, result) in zip(batch, results) { job.finish(result) }
    }

    private func runTogether(
      _ batch: [Job], _ open: CloudEnvironment
    ) throws -> [Result<Answer, any Error>] {
      var results: [Result<Answer, any Error>] = []
      try open.together {
        for job in batch where open.isInTransaction {
          results.append(
            Result { try job.work(open.acting(for: job.request.withoutInterruption)) })
        }
      }
      return results
    }
  }

  extension Request {
    /// The request without interruption, for a transaction that it shares with others: an
    /// interrupted statement would roll back all of them.
    fileprivate var withoutInterruption: Request {
      var request = self
      request.patience.interruption = .never
      return request
    }
  }

  /// The lanes of a store's environments.
  final class WriteLanes: Sendable {
    private let environments: OpenEnvironments
    private let threads: StoreThreads
    private let lanes = Locked<[String: WriteLane]>([:])

    init(_ environments: OpenEnvironments, on threads: StoreThreads) {
      (self.environments, self.threads) = (environments, threads)
    }

    /// The lane of an environment.
    func lane(_ container: ContainerID, _ environment: Environment) -> WriteLane {
      lanes.withLock { lanes in
        let key = "\(container.text)/\(environment.rawValue)"
        if let known = lanes[key] { return known }
        let lane = WriteLane(container, environment, of: environments, on: threads)
        lanes[key] = lane
        return lane
      }
    }
  }
#endif
