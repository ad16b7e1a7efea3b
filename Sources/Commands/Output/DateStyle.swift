internal import Basics
internal import CloudModel
internal import CommandKit

/// The date style of tables.
enum DateStyle: String, CaseIterable, Sendable {
  /// In UTC: `2024-05-01 12:00:00Z`.
  case utc
  /// In the time zone of the machine: `2024-05-01 14:00:00`.
  case local
  /// As everywhere else: `2024-05-01T12:00:00.000Z`.
  case iso

  /// The text of a time.
  func text(_ time: Timestamp) -> String {
    guard CivilTime.range.contains(time.milliseconds) else { return time.text }
    switch self {
    case .iso: return time.text
    case .utc: return Self.seconds(time.milliseconds) + "Z"
    case .local:
      let offset = Platform.localOffset(atSeconds: time.milliseconds / 1000)
      return Self.seconds(time.milliseconds + offset * 1000)
    }
  }

  /// Date and time with seconds: `2024-05-01 12:00:00`.
  private static func seconds(_ milliseconds: Int64) -> String {
    String(CivilTime.format(milliseconds: milliseconds).prefix(19)).replacingUTF8("T", with: " ")
  }
}

extension Settings {
  /// The date style of tables: as requested, or else local time on a terminal.
  func dates(_ configuration: Configuration?) throws -> DateStyle {
    if let style = try find(GlobalOptions.dates)?.value { return style }
    guard surroundings.outputIsTerminal else { return .iso }
    return configuration?.text("dates").flatMap { DateStyle(rawValue: $0) } ?? .local
  }
}
