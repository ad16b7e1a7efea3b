internal import CPlatform
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Waits for keys and signals without missing one: signals arrive only while it waits.
///
/// Only one may exist at a time; its creator calls `end`.
public struct TerminalEvents {
  /// An event.
  public enum Event: Sendable {
    /// A key, or the end of the input.
    case key
    /// `Interrupt.isRaised`.
    case interrupt
    /// The terminal was resized.
    case resize
    /// The user wants to suspend the program (SIGTSTP).
    case suspend
    /// Nothing happened within the time limit.
    case idle
  }

  private static let resized = Atomic<Bool>(false)
  private static let suspended = Atomic<Bool>(false)
  private let descriptor: Int32
  private var maskBefore = sigset_t()
  private let suspendBefore = SignalAction(of: SIGTSTP)

  /// Begins to receive signals, and input from a descriptor.
  public init(_ descriptor: Int32) {
    self.descriptor = descriptor
    var blocked = sigset_t()
    sigemptyset(&blocked)
    for number in Interrupt.signals + [SIGWINCH, SIGTSTP] { sigaddset(&blocked, number) }
    pthread_sigmask(SIG_BLOCK, &blocked, &maskBefore)
    SignalAction { _ in TerminalEvents.resized.store(true, ordering: .relaxed) }
      .install(for: SIGWINCH)
    if !suspendBefore.isIgnored {
      SignalAction { _ in TerminalEvents.suspended.store(true, ordering: .relaxed) }
        .install(for: SIGTSTP)
    }
  }

  /// Waits for the next event, up to a time limit (nil for none); returns `resize` immediately if
  /// the size changed since the last call.
  public func next(milliseconds: Int? = nil) -> Event {
    var mask = maskBefore
    while true {
      if Interrupt.isRaised { return .interrupt }
      if Self.resized.exchange(false, ordering: .relaxed) { return .resize }
      if Self.suspended.exchange(false, ordering: .relaxed) { return .suspend }
      // An error other than a signal appears when the input is read.
      let count = ckdb_wait_for_input(descriptor, &mask, milliseconds ?? -1)
      if count == 0 { return .idle }
      if count > 0 || errno != EINTR { return .key }
    }
  }

  /// Stops the process until it is continued.
  public func suspend() { raise(SIGSTOP) }

  /// Unblocks the signals, as they were before.
  public func end() {
    suspendBefore.install(for: SIGTSTP)
    // The handler of SIGWINCH stays: `next` reports a resize that happens meanwhile.
    var mask = maskBefore
    pthread_sigmask(SIG_SETMASK, &mask, nil)
  }
}
