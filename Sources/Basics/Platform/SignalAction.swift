#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// What a process does when a signal comes in. A handler interrupts system calls: whoever waits
/// has to look at what it noted.
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

  /// Runs a handler that learns where the signal comes from.
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

  /// What happens now.
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

  /// Does this from now on.
  func install(for number: Int32) {
    var action = action
    sigaction(number, &action, nil)
  }
}
