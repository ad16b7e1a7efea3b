/// A log of the older kind.
public final class OSLog: Sendable {
  let name: String

  /// A log of a subsystem.
  public init(subsystem: String, category: String) { name = "\(subsystem) \(category): " }

  private init() { name = "" }

  /// The log of the program.
  public static let `default` = OSLog()
  /// A log that shows nothing.
  public static let disabled = OSLog()
}

/// Writes a message with its arguments after it.
public func os_log(
  _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString,
  _ args: any CVarArg...
) { write(message, args, log) }

/// Writes a message with its arguments after it.
public func os_log(
  _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default,
  type: OSLogType = .default, _ args: any CVarArg...
) { write(message, args, log) }

private func write(_ message: StaticString, _ arguments: [any CVarArg], _ log: OSLog) {
  let values = arguments.map { " \($0)" }.joined()
  Logger(log).log("\(message)\(values)")
}
