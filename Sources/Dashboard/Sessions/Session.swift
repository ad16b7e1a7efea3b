#if Server
  internal import Basics
  internal import CloudModel

  /// What the server knows of one browser.
  final class Session: Sendable {
    /// The token of all forms, which other sites cannot know.
    let formToken = SystemRandom.bytes(16).hexadecimal
    private let state = Locked(State())
    /// The number of actions that can be shown and undone, and of files that wait for a decision.
    private static let mostActions = 50
    private static let mostFiles = 4

    private struct State: Sendable {
      var unlocked: Set<ContainerID> = []
      var done: [Int: Done] = [:]
      var files: [Int: FormFile] = [:]
      var last = 0
    }

    /// Whether the production environment of a container may be changed.
    func isUnlocked(_ container: ContainerID) -> Bool {
      state.withLock { $0.unlocked.contains(container) }
    }

    /// Allows changes of the production environment of a container, or ends that.
    func setUnlocked(_ isUnlocked: Bool, _ container: ContainerID) {
      state.withLock { state in
        if isUnlocked { state.unlocked.insert(container) } else { state.unlocked.remove(container) }
      }
    }

    /// Remembers an action; returns its number.
    func add(_ done: Done) -> Int {
      state.withLock { state in
        state.last += 1
        state.done[state.last] = done
        if state.done.count > Self.mostActions, let oldest = state.done.keys.min() {
          state.done[oldest] = nil
        }
        return state.last
      }
    }

    /// An action by its number; nil for an unknown one.
    func done(_ number: Int) -> Done? { state.withLock { $0.done[number] } }

    /// Notes that an action was undone: it cannot be undone again.
    func forgetUndo(_ number: Int) { state.withLock { $0.done[number]?.undo = nil } }

    /// Keeps a file until the user decides about it; returns its number.
    func keep(_ file: FormFile) -> Int {
      state.withLock { state in
        state.last += 1
        state.files[state.last] = file
        if state.files.count > Self.mostFiles, let oldest = state.files.keys.min() {
          state.files[oldest] = nil
        }
        return state.last
      }
    }

    /// A kept file; nil if it is gone.
    func file(_ number: Int) -> FormFile? { state.withLock { $0.files[number] } }

    /// Forgets a kept file.
    func dropFile(_ number: Int) { state.withLock { $0.files[number] = nil } }
  }
#endif
