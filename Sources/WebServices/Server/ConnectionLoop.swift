#if Server
  internal import HummingbirdCore
  internal import Logging
  internal import NIOCore

  /// Runs each connection's task on the connection's event loop: a short request is parsed, done
  /// and answered without a change of threads, which costs more than the request. Long work goes
  /// to the `StoreThreads`.
  struct ConnectionLoop<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
      base.setup(channel: channel, logger: logger)
    }

    func handle(value: Base.Value, logger: Logger) async {
      await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) {
        await base.handle(value: value, logger: logger)
      }
    }
  }

  /// An event loop as an executor of tasks.
  private final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
#endif
