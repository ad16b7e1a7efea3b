#if Server
  internal import Basics
  internal import CloudModel
  internal import FieldCodecs

  /// A field's value as a page shows it. A missing value, an empty string and a string of several
  /// lines all look different.
  struct ValueText {
    /// What the page shows; empty for no value.
    private(set) var text = ""
    /// Whether it is a number, which pages align on the right.
    private(set) var isNumber = false
    /// The address of the record that it refers to.
    private var link: String?
    private var isNone = false
    /// Whether the text is only the beginning of the value.
    private var isShortened = false

    /// A value in a table: its first line, shortened.
    init(_ value: FieldValue?, of type: FieldType, at place: Place) {
      self.init(whole: value, of: type, at: place)
      let line = text.prefix { !$0.isNewline }.prefix(Self.mostCharacters)
      isShortened = line.endIndex != text.endIndex
      text = String(line)
    }

    /// The maximum number of characters in a cell.
    private static let mostCharacters = 120

    /// A value on the page of its record, complete.
    init(whole value: FieldValue?, of type: FieldType, at place: Place) {
      isNumber = type.isNumber
      guard let value else {
        isNone = true
        return
      }
      if case .reference(let reference) = value {
        link = Self.address(of: reference, at: place)
      }
      text = Self.text(value)
    }

    var html: HTML {
      if isNone { return "<span class=\"null\">none</span>" }
      let shown: HTML = link.map { "<a href=\"\($0)\">\(text)</a>" } ?? "\(text)"
      return isShortened ? "\(shown)<span class=\"type\">…</span>" : shown
    }

    /// An encrypted value that the page does not show.
    static let hidden = ValueText(shown: "••••••")

    private init(shown text: String) { self.text = text }

    private static func text(_ value: FieldValue) -> String {
      switch value {
      case .string(let text): text.isEmpty ? "\"\"" : text
      case .bytes(let bytes): size(Int64(bytes.count))
      case .asset(let asset): size(asset.size)
      case .reference(let reference): reference.name.text
      case .location(let location): "\(location.latitude), \(location.longitude)"
      case .list(let members): members.isEmpty ? "[]" : members.map(text).joined(separator: ", ")
      case .timestamp: value.cellText.replacingUTF8(".000Z", with: "Z")
      case .int64, .double: value.cellText
      }
    }

    private static func address(of reference: Reference, at place: Place) -> String {
      var place = place
      if let zone = reference.zone { place.zone = zone }
      return place.address(["record", reference.name.text])
    }

    /// A size with a unit: `84 kB`.
    static func size(_ bytes: Int64) -> String {
      if bytes == 1 { return "1 byte" }
      if bytes < 1000 { return "\(bytes) bytes" }
      var (value, unit) = (Double(bytes) / 1000, "kB")
      for larger in ["MB", "GB", "TB"] where value >= 999.5 {
        (value, unit) = (value / 1000, larger)
      }
      if value >= 9.95 { return "\(Int(value.rounded())) \(unit)" }
      let tenths = Int((value * 10).rounded())
      return "\(tenths / 10).\(tenths % 10) \(unit)"
    }
  }

  extension Int {
    /// The number with commas: `69,202`.
    var grouped: String {
      var groups: [String] = []
      var rest = magnitude
      while rest >= 1000 {
        let group = String(rest % 1000)
        groups.append(String(repeating: "0", count: 3 - group.utf8.count) + group)
        rest /= 1000
      }
      groups.append(String(rest))
      return (self < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
    }
  }
#endif
