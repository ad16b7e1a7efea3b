internal import Basics
public import CloudModel

extension Timestamp {
  /// Parses a date as cktool does: ISO 8601, `2021-04-28 17:05`, `04/28/2021`, `04/28/2021, 17:05`
  /// and `04/28/2021, 5:05 pm`; without a zone it is UTC (M1.14).
  public init?(toolText text: String) {
    if let time = Self.iso(text) {
      self = time
      return
    }
    let words = text.replacingCommas.split(separator: " ")
    guard let first = words.first else { return nil }
    var date = String(first)
    let parts = first.split(separator: "/")
    if parts.count == 3 { date = "\(parts[2])-\(parts[0].padded)-\(parts[1].padded)" }
    guard words.count > 1 else {
      guard parts.count == 3, let time = Self.iso(date) else { return nil }
      self = time
      return
    }
    let clock = words[1].split(separator: ":")
    guard words.count <= 3, clock.count == 2, var hour = Int(clock[0]) else { return nil }
    if words.count == 3 {
      guard (1...12).contains(hour) else { return nil }
      switch words[2].lowercased() {
      case "am": hour %= 12
      case "pm": hour = hour % 12 + 12
      default: return nil
      }
    }
    guard let time = Self.iso("\(date)T\("\(hour)"[...].padded):\(clock[1])") else { return nil }
    self = time
  }

  private static func iso(_ text: String) -> Timestamp? {
    guard case .timestamp(let time)? = FieldValue(text: text, as: .timestamp), Int64(text) == nil
    else { return nil }
    return time
  }
}

extension Substring {
  fileprivate var padded: String { count == 1 ? "0\(self)" : String(self) }
}

extension String {
  fileprivate var replacingCommas: String { String(map { $0 == "," ? " " : $0 }) }
}
