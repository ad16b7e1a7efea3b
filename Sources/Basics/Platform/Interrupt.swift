internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Whether the user asked to stop (SIGINT, SIGTERM): long work looks and gives up cleanly.
package enum Interrupt {
  private static let signal = Atomic<Int32>(0)

  /// Whether a signal came in since the last `clear`.
  package static var isRaised: Bool { signal.load(ordering: .relaxed) != 0 }

  /// The signal that came in; 0 for none.
  package static var number: Int32 { signal.load(ordering: .relaxed) }

  /// Forgets the signal, as the prompt does after each command.
  package static func clear() { signal.store(0, ordering: .relaxed) }

  /// Catches SIGINT and SIGTERM; a second signal ends the process at once.
  package static func install() {
    for number in [SIGINT, SIGTERM] {
      setHandler(number) { number in
        if Interrupt.isRaised { _exit(128 + number) }
        Interrupt.signal.store(number, ordering: .relaxed)
      }
    }
  }
}

private func setHandler(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
  _ = signal(number, handler)
}
