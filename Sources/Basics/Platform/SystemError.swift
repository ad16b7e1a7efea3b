#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A failed POSIX call: the operation, the file, and `errno`.
public struct SystemError: Error, Sendable, Equatable {
  /// The value of `errno`; 0 for a rule of our own.
  public let number: Int32
  /// The operation, as a verb: "open", "fsync".
  public let operation: String
  /// The file.
  public let path: String

  /// Whether the operation succeeded anyway, and only may not survive a power loss.
  public var isDone = false

  /// Creates an error of the given call; `number` is this thread's `errno` by default.
  public init(_ operation: String, _ path: String, number: Int32 = Platform.errorNumber) {
    self.number = number
    self.operation = operation
    self.path = path
  }

  /// The C library's text for the number.
  public var reason: String { String(cString: strerror(number)) }

  /// The file is missing or unreachable.
  public var isMissingFile: Bool { number == ENOENT || number == ENOTDIR }

  /// The disk or the quota is full.
  public var isDiskFull: Bool { number == ENOSPC || number == EDQUOT }

  /// The system has no descriptors or no memory left.
  public var isExhausted: Bool {
    [EMFILE, ENFILE, ENOMEM, EAGAIN, ENOBUFS].contains(number)
  }

  /// A signal came during a wait.
  public var isInterrupt: Bool { number == EINTR }

  /// Not allowed, or the file system is read-only.
  public var isPermission: Bool { number == EACCES || number == EPERM || number == EROFS }
}

extension SystemError: CustomStringConvertible {
  /// The operation that failed, and the reason.
  public var description: String {
    (number == 0 ? "cannot \(operation) \(path)" : "cannot \(operation) \(path): \(reason)")
      + (isDone ? "; the change is made, but a power loss may undo it" : "")
  }
}
