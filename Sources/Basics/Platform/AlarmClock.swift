#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Ends a blocking system call with EINTR, by SIGALRM.
enum AlarmClock {
  /// Rings after some milliseconds, and repeatedly until it is stopped.
  static func start(milliseconds: Int) {
    SignalAction { _ in }.install(for: SIGALRM)
    set(milliseconds)
  }

  static func stop() { set(0) }

  private static func set(_ milliseconds: Int) {
    let time = timeval(
      tv_sec: milliseconds / 1000, tv_usec: .init(milliseconds % 1000 * 1000))
    var timer = itimerval(it_interval: time, it_value: time)
    #if canImport(Glibc)
      setitimer(Int32(ITIMER_REAL.rawValue), &timer, nil)
    #else
      setitimer(ITIMER_REAL, &timer, nil)
    #endif
  }
}
