internal import Basics
internal import CommandKit

/// The colours of a stream, or none.
struct TextStyle {
  /// Whether text is coloured.
  let isOn: Bool

  /// The role of a text.
  enum Role: String {
    case header = "1"
    case missing = "2"
    case error = "1;31"
    case warning = "33"
    case hint = "36"
    case added = "32"
    case removed = "31"
    case production = "1;35"
  }

  static let plain = TextStyle(isOn: false)

  /// Decides for a stream: `--color`, then NO_COLOR, then CLICOLOR_FORCE, then whether the stream
  /// is a terminal that supports colours.
  init(_ settings: Settings, isTerminal: Bool) {
    let variable = settings.surroundings.variable
    switch (try? settings.find(GlobalOptions.color))??.value ?? .auto {
    case .always: isOn = true
    case .never: isOn = false
    case .auto:
      if variable("NO_COLOR") != nil {
        isOn = false
      } else if let force = variable("CLICOLOR_FORCE"), force != "0" {
        isOn = true
      } else {
        isOn = isTerminal && variable("TERM") != "dumb"
      }
    }
  }

  private init(isOn: Bool) { self.isOn = isOn }

  /// The text in the colour of its role.
  func callAsFunction(_ text: String, _ role: Role) -> String {
    isOn && !text.isEmpty ? "\u{1B}[\(role.rawValue)m\(text)\u{1B}[0m" : text
  }
}
