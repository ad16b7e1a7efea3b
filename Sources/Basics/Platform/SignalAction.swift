#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The action of a process on a signal. A handler interrupts system calls; the waiting code must
/// check what it noted.
struct SignalAction {
  private var action = sigaction()

  /// Runs a handler.
  init(_ handler: @escaping @convention(c) (Int32) -> Void) {
    #if canImport(Glibc)
      action.__sigaction_handler.sa_handler = handler
    #else
      action.__sigaction_u.__sa_handler = handler
    #endif
  }

  /// Runs a handler that gets the signal's sender.
  init(
    informing handler:
      @escaping @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?)
      -> Void
  ) {
    #if canImport(Glibc)
      action.__sigaction_handler.sa_sigaction = handler
    #else
      action.__sigaction_u.__sa_sigaction = handler
    #endif
    action.sa_flags = SA_SIGINFO
  }

  /// The current action.
  init(of number: Int32) { sigaction(number, nil, &action) }

  /// Whether the signal is ignored.
  var isIgnored: Bool {
    let ignore = unsafeBitCast(SIG_IGN, to: Int.self)
    #if canImport(Glibc)
      return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignore
    #else
      return unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == ignore
    #endif
  }

  /// Installs the action.
  func install(for number: Int32) {
    var action = action
    sigaction(number, &action, nil)
  }
}
