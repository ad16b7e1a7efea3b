internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Whether the user asked to stop (SIGINT, SIGTERM, SIGHUP); long work checks it and stops cleanly.
public enum Interrupt {
  private static let raised = Atomic<Int32>(0)
  private static let survives = Atomic<Bool>(false)
  static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Whether a signal came since the last `clear`.
  public static var isRaised: Bool { raised.load(ordering: .relaxed) != 0 }

  /// The signal that came; 0 for none.
  public static var number: Int32 { raised.load(ordering: .relaxed) }

  /// Whether the signal ends the process, and not only the current command.
  public static var endsProcess: Bool { ![0, SIGINT].contains(number) }

  /// Clears SIGINT, as the prompt does after each command. Signals that end the process remain.
  public static func clear() {
    _ = raised.compareExchange(expected: SIGINT, desired: 0, ordering: .relaxed)
  }

  /// Lets any number of SIGINTs stop only the current command, as a prompt needs.
  public static func surviveInterrupts() { survives.store(true, ordering: .relaxed) }

  /// Blocks the signals and the alarm in the calling thread until the mask is restored, so that
  /// another thread gets them: a signal ends only the system calls of the thread that it
  /// interrupts, which must be the one that may wait for a reader.
  public static func leaveToOthers() -> SignalMask {
    var (left, before) = (sigset_t(), sigset_t())
    sigemptyset(&left)
    for number in signals + [SIGALRM] { sigaddset(&left, number) }
    pthread_sigmask(SIG_BLOCK, &left, &before)
    return SignalMask(signals: before)
  }

  /// The signals that a thread blocked before.
  public struct SignalMask {
    fileprivate let signals: sigset_t

    /// Lets the calling thread get these signals again.
    public func restore() {
      var signals = signals
      pthread_sigmask(SIG_SETMASK, &signals, nil)
    }
  }

  /// Catches the signals, even if the parent blocked them, except SIGHUP if the process was started
  /// to ignore it (`nohup`); a second signal ends the process immediately. A broken pipe becomes an
  /// error of the write, and so does exceeding the file size limit.
  public static func install() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // SQLite maps the index of a log into memory.
    SignalAction { _ in
      let text: StaticString =
        "ckdb: error: a file of the store cannot be read from memory: the disk is full or failing\n"
      _ = write(2, text.utf8Start, text.utf8CodeUnitCount)
      _exit(74)
    }.install(for: SIGBUS)
    for number in signals where number != SIGHUP || !SignalAction(of: number).isIgnored {
      SignalAction { number in
        let before = Interrupt.number
        let isFirst =
          before == 0 || before == SIGINT && Interrupt.survives.load(ordering: .relaxed)
        guard isFirst else { _exit(128 + number) }
        Interrupt.raised.store(number, ordering: .relaxed)
      }.install(for: number)
    }
    var caught = sigset_t()
    sigemptyset(&caught)
    for number in signals { sigaddset(&caught, number) }
    pthread_sigmask(SIG_UNBLOCK, &caught, nil)
  }
}
