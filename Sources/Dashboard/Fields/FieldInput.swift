#if Server
  internal import Basics
  internal import CloudModel
  internal import FieldCodecs
  internal import WireFormat

  /// The contents of the controls of one field, as a form shows and sends them.
  struct FieldInput: Sendable {
    /// The text, or the members of a list.
    var texts: [String] = []
    /// The second control: the time zone of a date, the longitude of a place, the action of a
    /// reference.
    var second = ""
    /// The third control: the altitude of a place.
    var third = ""
    /// Whether an empty control is an empty value instead of none.
    var isEmpty = false
    /// The value as plain JSON, for values that the other controls cannot hold.
    var json: String?
    /// The stored assets that stay.
    var kept: [String] = []
    /// The new files.
    var files: [FormFile] = []

    /// Empty controls.
    init() {}

    /// The contents of the controls of a field in a form.
    init(_ field: String, in form: FormFields) {
      texts = form.all("f.\(field)").map(\.withPlainLines)
      second = form["second.\(field)"] ?? ""
      third = form["third.\(field)"] ?? ""
      isEmpty = form["empty.\(field)"] != nil
      json = form["json.\(field)"]
      kept = form.all("keep.\(field)")
      files = form.files("file.\(field)")
    }

    /// The controls for a value that was typed as one text: lists as JSON, places with commas.
    init(_ text: String, _ files: [FormFile], of type: FieldType) {
      self.files = files
      if type.isList {
        json = text
      } else if type.base == .location {
        let parts = text.split(separator: ",", maxSplits: 2).map(String.init) + ["", "", ""]
        (texts, second, third) = ([parts[0]], parts[1], parts[2])
      } else {
        texts = [text]
      }
    }

    /// The controls for a value of a field.
    init(_ value: FieldValue?, of type: FieldType) {
      guard let value else { return }
      guard let known = Self.plain(value, of: type) else {
        json = value.plainJSON.text
        return
      }
      self = known
    }

    /// The controls for a value; nil if only JSON can hold it.
    private static func plain(_ value: FieldValue, of type: FieldType) -> FieldInput? {
      var input = FieldInput()
      switch value {
      case .string(let text):
        guard text.unicodeScalars.allSatisfy(\.isShownInPages) else { return nil }
        (input.texts, input.isEmpty) = ([text], text.isEmpty)
      case .int64, .double: input.texts = [value.cellText]
      case .bytes(let bytes):
        (input.texts, input.isEmpty) = ([Base64.encode(bytes)], bytes.isEmpty)
      case .timestamp(let time): (input.texts, input.second) = ([String(time.text.dropLast())], "Z")
      case .location(let place):
        guard place.isPlain else { return nil }
        (input.texts, input.second) = (["\(place.latitude)"], "\(place.longitude)")
        input.third = place.altitude.map { "\($0)" } ?? ""
      case .reference(let reference):
        (input.texts, input.second) = ([reference.name.text], reference.action.name)
      case .asset(let asset): input.kept = [asset.sha256]
      case .list(let members):
        guard type.base != .asset else {
          input.kept = members.flatMap { $0.assets.map(\.sha256) }
          input.isEmpty = members.isEmpty
          return input
        }
        let texts = members.compactMap(\.memberText)
        guard texts.count == members.count else { return nil }
        (input.texts, input.isEmpty) = (texts, texts.isEmpty)
      }
      return input
    }
  }

  extension FieldValue {
    /// The value as a member of a list, in a control of one line; nil if it has no such text.
    var memberText: String? {
      switch self {
      case .string(let text):
        text.isEmpty || text.unicodeScalars.contains { $0.value < 0x20 } ? nil : text
      case .int64, .double, .timestamp: cellText
      case .location(let place):
        place.isPlain && place.altitude == nil ? "\(place.latitude), \(place.longitude)" : nil
      case .reference(let reference): reference.action == .none ? reference.name.text : nil
      case .bytes(let bytes): bytes.isEmpty ? nil : Base64.encode(bytes)
      case .asset, .list: nil
      }
    }
  }

  extension Unicode.Scalar {
    /// Whether a page can contain it: HTML has no other control characters.
    fileprivate var isShownInPages: Bool {
      value >= 0x20 && value != 0xFFFE && value != 0xFFFF || self == "\n" || self == "\t"
        || self == "\r"
    }
  }

  extension Location {
    /// Whether it has nothing but coordinates and an altitude.
    var isPlain: Bool {
      horizontalAccuracy == nil && verticalAccuracy == nil && course == nil && speed == nil
        && timestamp == nil
    }
  }

  extension String {
    /// The text with the line ends that forms change to CR LF changed back.
    var withPlainLines: String {
      var text = ""
      var wasReturn = false
      for scalar in unicodeScalars {
        if scalar == "\r" {
          text.unicodeScalars.append("\n")
        } else if scalar != "\n" || !wasReturn {
          text.unicodeScalars.append(scalar)
        }
        wasReturn = scalar == "\r"
      }
      return text
    }
  }
#endif
