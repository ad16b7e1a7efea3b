import Foundation

/// Writes messages of a part of a program: to standard error if the variable `OS_LOG` is set.
public struct Logger: Sendable {
  private let name: String

  /// A logger without a name.
  public init() { name = "" }

  /// A logger of a subsystem.
  public init(subsystem: String, category: String) { name = "\(subsystem) \(category): " }

  /// A logger of an older kind.
  public init(_ log: OSLog) { name = log.name }

  /// Writes a message of a level.
  public func log(level: OSLogType, _ message: OSLogMessage) { write(message) }

  /// Writes a message.
  public func log(_ message: OSLogMessage) { write(message) }
  /// Writes a message for tracing.
  public func trace(_ message: OSLogMessage) { write(message) }
  /// Writes a message for debugging.
  public func debug(_ message: OSLogMessage) { write(message) }
  /// Writes a message that may help.
  public func info(_ message: OSLogMessage) { write(message) }
  /// Writes a message to notice.
  public func notice(_ message: OSLogMessage) { write(message) }
  /// Writes a warning.
  public func warning(_ message: OSLogMessage) { write(message) }
  /// Writes an error.
  public func error(_ message: OSLogMessage) { write(message) }
  /// Writes a critical error.
  public func critical(_ message: OSLogMessage) { write(message) }
  /// Writes a fault of the program.
  public func fault(_ message: OSLogMessage) { write(message) }

  private static let isEnabled = ProcessInfo.processInfo.environment["OS_LOG"] != nil

  private func write(_ message: OSLogMessage) {
    if Self.isEnabled { FileHandle.standardError.write(Data("\(name)\(message.text)\n".utf8)) }
  }
}

/// The level of a message.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
  /// The number of the level.
  public let rawValue: UInt8
  /// A level by its number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// A level by its number.
  public init(_ rawValue: UInt8) { self.rawValue = rawValue }

  /// A level.
  public static let `default` = OSLogType(0)
  /// A level.
  public static let info = OSLogType(1)
  /// A level.
  public static let debug = OSLogType(2)
  /// A level.
  public static let error = OSLogType(16)
  /// A level.
  public static let fault = OSLogType(17)
}

/// A message; its values may say how private they are.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
  let text: String

  /// A message without values.
  public init(stringLiteral value: String) { text = value }
  /// A message with values.
  public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

/// The parts of a message.
public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
  var text = ""

  /// No parts.
  public init(literalCapacity: Int, interpolationCount: Int) {}

  /// Adds text.
  public mutating func appendLiteral(_ literal: String) { text += literal }

  /// Adds a value.
  public mutating func appendInterpolation(
    _ value: @autoclosure () -> Any?, align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto
  ) {
    text += value().map { "\($0)" } ?? "nil"
  }
}

/// Who may see a value; here everybody.
public struct OSLogPrivacy: Sendable {
  /// How a private value is shown.
  public enum Mask: Sendable {
    case hash
    case none
  }

  /// Everybody sees the value.
  public static let auto = OSLogPrivacy()
  /// Everybody sees the value.
  public static let `public` = OSLogPrivacy()
  /// Everybody sees the value.
  public static let `private` = OSLogPrivacy()
  /// Everybody sees the value.
  public static let sensitive = OSLogPrivacy()
  /// The same with a mask.
  public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy() }
  /// The same with a mask.
  public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy() }
}

/// The width of a value, which has no effect here.
public struct OSLogStringAlignment: Sendable {
  /// As wide as the value.
  public static let none = OSLogStringAlignment()
}
