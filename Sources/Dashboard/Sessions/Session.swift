#if Server
  internal import Basics
  internal import CloudModel

  /// What the server knows of one browser.
  final class Session: Sendable {
    /// The token of all forms, which other sites cannot know.
    let formToken = SystemRandom.bytes(16).hexadecimal
    private let state = Locked(State())

    private struct State: Sendable {
      var unlocked: Set<ContainerID> = []
      /// The actions that can be shown and undone.
      var done = Numbered<Done>(most: 50)
      /// The files that wait for a decision.
      var files = Numbered<FormFile>(most: 4)
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
    func add(_ done: Done) -> Int { state.withLock { $0.done.add(done) } }

    /// An action by its number; nil for an unknown one.
    func done(_ number: Int) -> Done? { state.withLock { $0.done[number] } }

    /// Notes that an action was undone: it cannot be undone again.
    func forgetUndo(_ number: Int) { state.withLock { $0.done[number]?.undo = nil } }

    /// Keeps a file until the user decides about it; returns its number.
    func keep(_ file: FormFile) -> Int { state.withLock { $0.files.add(file) } }

    /// Takes a kept file, which only one request at a time can read; nil if it is gone.
    func takeFile(_ number: Int) -> FormFile? {
      state.withLock { state in
        defer { state.files[number] = nil }
        return state.files[number]
      }
    }
  }

  /// Values by numbers that are never used again; a new one replaces the oldest of too many.
  private struct Numbered<Value: Sendable>: Sendable {
    let most: Int
    private var values: [Int: Value] = [:]
    private var last = 0

    init(most: Int) { self.most = most }

    subscript(number: Int) -> Value? {
      get { values[number] }
      set { values[number] = newValue }
    }

    mutating func add(_ value: Value) -> Int {
      last += 1
      values[last] = value
      if values.count > most, let oldest = values.keys.min() { values[oldest] = nil }
      return last
    }
  }
#endif
