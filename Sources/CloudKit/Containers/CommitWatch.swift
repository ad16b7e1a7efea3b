internal import Basics
internal import Foundation

/// Tells listeners of each commit to a part of a store, by this process or another: the file that
/// commits touch wakes them, and no thread waits.
final class CommitWatch: Sendable {
  /// Called on a queue of the watch, soon after one or several commits. It must not block.
  typealias Listener = @Sendable () -> Void

  private let path: String
  private let state = Locked(State())
  private static let queue = DispatchQueue(label: "org.ckdb.cloudkit.watch")
  /// The watches of the process by their files.
  private static let all = Locked<[String: Living]>([:])

  private struct Living: Sendable {
    weak let watch: CommitWatch?
  }

  private struct State: @unchecked Sendable {
    var listeners: [UInt64: Listener] = [:]
    var next: UInt64 = 0
    // Sources may be used by any thread, but Dispatch on Linux does not say so.
    var source: (any DispatchSourceProtocol)?
    var file: FileSystem.Identity?
  }

  /// A listener's place, which ends with the last reference.
  final class Registration: Sendable {
    private let watch: CommitWatch
    private let number: UInt64

    fileprivate init(_ watch: CommitWatch, _ number: UInt64) {
      (self.watch, self.number) = (watch, number)
    }

    deinit { watch.remove(number) }
  }

  private init(_ path: String) { self.path = path }

  deinit { state.withLock { $0.source }?.cancel() }

  /// Calls `listener` after each commit to the part of a store with a file, until the registration
  /// is released.
  static func listen(to path: String, _ listener: @escaping Listener) -> Registration {
    let watch = all.withLock { all in
      if let known = all[path]?.watch { return known }
      all = all.filter { $0.value.watch != nil }
      let made = CommitWatch(path)
      all[path] = Living(watch: made)
      return made
    }
    return watch.add(listener)
  }

  private func add(_ listener: @escaping Listener) -> Registration {
    let (number, isFirst) = state.withLock { state in
      state.next += 1
      state.listeners[state.next] = listener
      return (state.next, state.source == nil)
    }
    if isFirst { begin() }
    return Registration(self, number)
  }

  private func remove(_ number: UInt64) {
    // What the listener holds is released outside the lock.
    let (listener, source) = state.withLock { state in
      let listener = state.listeners.removeValue(forKey: number)
      defer { if state.listeners.isEmpty { state.source = nil } }
      return (listener, state.listeners.isEmpty ? state.source : nil)
    }
    source?.cancel()
    _ = consume listener
  }

  /// Begins to watch the file that has the path now.
  private func begin() {
    let file = FileSystem.identity(of: path)
    let source = (try? FileWatch(path)).map(watching) ?? looking()
    let old = state.withLock { state in
      defer { (state.source, state.file) = (source, file) }
      return state.source
    }
    old?.cancel()
    source.resume()
  }

  private func watching(_ file: FileWatch) -> any DispatchSourceProtocol {
    let source = DispatchSource.makeReadSource(
      fileDescriptor: file.descriptor, queue: Self.queue)
    // The source must not outlive the descriptor: the handlers own it.
    let file = OwnedWatch(file)
    source.setEventHandler { [weak self] in
      file.watch.drain()
      self?.tell()
    }
    source.setCancelHandler { _ = file }
    return source
  }

  /// The system has no watch left: look twice a second.
  private func looking() -> any DispatchSourceProtocol {
    let source = DispatchSource.makeTimerSource(queue: Self.queue)
    source.schedule(deadline: .now() + 0.5, repeating: 0.5, leeway: .milliseconds(100))
    source.setEventHandler { [weak self] in self?.tell() }
    return source
  }

  private func tell() {
    let (listeners, file) = state.withLock { ($0.listeners, $0.file) }
    // A restored snapshot has files of its own.
    if FileSystem.identity(of: path) != file, !listeners.isEmpty { begin() }
    for listener in listeners.values { listener() }
  }
}

/// A watch that only the queue of `CommitWatch` uses.
private struct OwnedWatch: @unchecked Sendable {
  let watch: FileWatch

  init(_ watch: FileWatch) { self.watch = watch }
}
