internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Whether the user asked to stop (SIGINT, SIGTERM): long work looks and gives up cleanly.
public enum Interrupt {
  private static let raised = Atomic<Int32>(0)

  /// Whether a signal came in since the last `clear`.
  public static var isRaised: Bool { raised.load(ordering: .relaxed) != 0 }

  /// The signal that came in; 0 for none.
  public static var number: Int32 { raised.load(ordering: .relaxed) }

  /// Forgets the signal, as the prompt does after each command.
  public static func clear() { raised.store(0, ordering: .relaxed) }

  /// Catches SIGINT and SIGTERM; a second signal ends the process at once. A broken pipe
  /// becomes an error of the write that meets it, and so does a file that would be too large.
  public static func install() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    for number in [SIGINT, SIGTERM] {
      setHandler(number) { number in
        if Interrupt.isRaised { _exit(128 + number) }
        Interrupt.raised.store(number, ordering: .relaxed)
      }
    }
  }
}

/// Sets a handler that interrupts system calls: whoever waits has to look at `isRaised`.
private func setHandler(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
  var action = sigaction()
  #if canImport(Glibc)
    action.__sigaction_handler.sa_handler = handler
  #else
    action.__sigaction_u.__sa_handler = handler
  #endif
  sigaction(number, &action, nil)
}
