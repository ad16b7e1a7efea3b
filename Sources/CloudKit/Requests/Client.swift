internal import Basics
internal import CloudModel
internal import CloudServices
internal import Foundation

/// An app of an account on a device, with a container.
struct Client: Sendable {
  /// The cloud; nil if the process can use none, which is an error of each request.
  let known: Cloud?
  /// The container. An identifier that no container can have is an error of each request.
  let container: Result<ContainerID, CloudError>
  let account: Account?
  let device: Device
  /// Where the app's handlers are called, one by one.
  let callbacks = Callbacks.queue()

  /// What a piece of work does with the store.
  enum Access {
    case reading
    case writing
  }

  /// The cloud. Throws the reason for which there is none.
  func cloud() throws(CloudError) -> Cloud {
    guard let known else {
      _ = try container.get()
      throw CloudError(.internalError, "no cloud")
    }
    return known
  }

  /// Opens the container's environment for a request. Throws `badContainer`.
  func environment(for request: Request) throws(CloudError) -> CloudEnvironment {
    let cloud = try cloud()
    do { return try cloud.environment(container.get(), for: request) } catch {
      guard case .failure = container else { throw error }
      throw CloudError(.badContainer, error.message, remedy: error.remedy)
    }
  }

  /// Opens a database for a request.
  func database(
    _ scope: DatabaseScope, for request: Request
  ) throws(CloudError) -> CloudDatabase {
    try environment(for: request).database(scope)
  }

  /// Does a piece of work on a thread of the pool, then passes its result on, there. Errors become
  /// `CKError`s.
  func run<T: Sendable>(
    _ access: Access, _ cancellation: Cancellation,
    _ work: @escaping @Sendable (Client, Request) throws -> T,
    then finish: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    cancellation.whileWaiting { finish(.failure(CKError.cancelled)) }
    let job: WorkPool.Work = {
      guard cancellation.begin() else { return }
      var latency: Int64 = 0
      let result = Result {
        do {
          let request = try self.cloud().request(of: account, on: device, cancellation)
          defer { latency = request.latency }
          return try work(self, request)
        } catch { throw cancellation.isCancelled ? CKError.cancelled : CKError(any: error) }
      }
      guard latency > 0 else { return finish(result) }
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(latency))) {
        finish(result)
      }
    }
    if access == .writing, let writers = known?.writers {
      writers.run(job)
    } else {
      WorkPool.shared.run(job)
    }
  }

  /// Does a piece of work on a thread of the pool, while the task waits without holding a thread.
  /// Cancelling the task ends the work. Throws `CKError`s.
  func perform<T: Sendable>(
    _ access: Access, _ work: @escaping @Sendable (Client, Request) throws -> T
  ) async throws -> T {
    let cancellation = Cancellation()
    let answer = Answer<T>()
    return try await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        run(access, cancellation, work) { result in
          answer.result.withLock { $0 = result }
          continuation.resume()
        }
      }
      return try answer.result.withLock { $0 }.get()
    } onCancel: {
      cancellation.cancel()
    }
  }

  /// The same app with handlers that are called apart from those of others.
  var apart: Client {
    Client(known: known, container: container, account: account, device: device)
  }

  /// Does a piece of work, and passes its result to a handler on a queue of CloudKit's.
  func perform<T: Sendable>(
    _ access: Access, _ work: @escaping @Sendable (Client, Request) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    run(access, Cancellation(), work) { result in callbacks.async { completion(result) } }
  }
}

/// What the pool passes to a waiting task. The task would get it from its continuation too, but
/// ThreadSanitizer sees only the lock, and reports each use of the result as a race otherwise.
private final class Answer<T: Sendable>: Sendable {
  let result = Locked<Result<T, any Error>>(.failure(CKError.cancelled))
}

/// Where an app's blocks are called: on queues that may block, and never on the threads that work
/// on stores.
enum Callbacks {
  private static let shared = DispatchQueue(
    label: "org.ckdb.cloudkit.callback", attributes: .concurrent)

  /// A queue on which blocks are called one by one.
  static func queue() -> DispatchQueue {
    DispatchQueue(label: "org.ckdb.cloudkit.operation", target: shared)
  }
}
