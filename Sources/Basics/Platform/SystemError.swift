#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A failed POSIX call: what was being done, to which file, and `errno`.
public struct SystemError: Error, Sendable, Equatable {
  /// The value of `errno`; 0 for a rule of ours.
  public let number: Int32
  /// What was being done, as a verb: "open", "fsync".
  public let operation: String
  /// The file it was done to.
  public let path: String

  /// Whether what was wanted is done all the same, and only may not last.
  public var isDone = false

  /// Makes an error of the given call; `number` is by default this thread's `errno`.
  public init(_ operation: String, _ path: String, number: Int32 = Platform.errorNumber) {
    self.number = number
    self.operation = operation
    self.path = path
  }

  /// The C library's text for the number.
  public var reason: String { String(cString: strerror(number)) }

  /// Nothing there, or no way to it.
  public var isMissingFile: Bool { number == ENOENT || number == ENOTDIR }

  /// No room left: the disk or the quota is full.
  public var isDiskFull: Bool { number == ENOSPC || number == EDQUOT }

  /// A signal came in while something was waited for.
  public var isInterrupt: Bool { number == EINTR }

  /// Not allowed, or the file system is read-only.
  public var isPermission: Bool { number == EACCES || number == EPERM || number == EROFS }
}

extension SystemError: CustomStringConvertible {
  /// What could not be done, and why.
  public var description: String {
    (number == 0 ? "cannot \(operation) \(path)" : "cannot \(operation) \(path): \(reason)")
      + (isDone ? "; the change is made, but a power loss may undo it" : "")
  }
}
