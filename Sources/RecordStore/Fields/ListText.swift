internal import Basics
internal import CloudModel

/// The JSON text of a list in its column.
///
/// Strings, integers and numbers stand as they are, so that SQL can look at them by json_each;
/// a reference is its name, or `[name, action]` when it has one; BYTES are Base64; a location
/// is `[latitude, longitude, …]` and an asset `[hash, size]`.
enum ListText {
  static func encode(_ members: [FieldValue]) -> [UInt8] {
    var text: [UInt8] = []
    append(members, to: &text)
    return text
  }

  static func append(_ members: [FieldValue], to text: inout [UInt8]) {
    text.append(UInt8(ascii: "["))
    for index in members.indices {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(member: members[index])
    }
    text.append(UInt8(ascii: "]"))
  }

  static func decode(_ text: UnsafeRawBufferPointer, base: FieldType.Base) -> [FieldValue] {
    guard let value = try? JSONParser.parse(text), case .array(let items) = value else {
      return []
    }
    return items.compactMap { member($0, base) }
  }

  /// Whether a list of references that is not empty has names alone; a name with a bracket in it
  /// may be taken for an action.
  static func isOfNames(_ text: UnsafeRawBufferPointer) -> Bool {
    text.count > 2 && !UnsafeRawBufferPointer(rebasing: text[1...]).has(UInt8(ascii: "["))
  }

  /// The member's JSON text, for SQL that looks for it.
  static func text(of member: FieldValue) -> String {
    var text: [UInt8] = []
    text.append(member: member)
    return String(decoding: text, as: UTF8.self)
  }

  private static func member(_ item: JSONValue, _ base: FieldType.Base) -> FieldValue? {
    switch (base, item) {
    case (.string, .string(let text)): return .string(text)
    case (.int64, .int(let number)), (.number, .int(let number)): return .int64(number)
    case (.double, .double(let number)), (.number, .double(let number)): return .double(number)
    case (.timestamp, .int(let number)):
      return .timestamp(Timestamp(milliseconds: number))
    case (.bytes, .string(let text)): return Base64.decode(text).map { .bytes($0) }
    case (.reference, .string(let name)): return .reference(Reference(RecordName(stored: name)))
    case (.reference, .array(let parts)):
      guard parts.count == 2, case .string(let name) = parts[0], case .int(let number) = parts[1],
        let action = Reference.Action(rawValue: Int(number))
      else { return nil }
      return .reference(Reference(RecordName(stored: name), action: action))
    case (.asset, .array(let parts)):
      guard parts.count == 2, case .string(let hash) = parts[0], case .int(let size) = parts[1]
      else { return nil }
      return Asset(sha256: hash, size: size).map { .asset($0) }
    case (.location, .array(let parts)):
      guard parts.count >= 2, case .double(let latitude) = parts[0],
        case .double(let longitude) = parts[1]
      else { return nil }
      var location = Location(latitude: latitude, longitude: longitude)
      location?.setRest(Array(parts.dropFirst(2)))
      return location.map { .location($0) }
    default: return nil
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(member: FieldValue) {
    switch member {
    case .string(let text): append(jsonString: text)
    case .int64(let number): append(jsonInt: number)
    case .double(let number): append(jsonDouble: number)
    case .timestamp(let time): append(jsonInt: time.milliseconds)
    case .bytes(let bytes): append(jsonString: Base64.encode(bytes))
    case .reference(let reference):
      if reference.action == .none {
        append(jsonString: reference.name.text)
      } else {
        append(
          json: .array([.string(reference.name.text), .int(Int64(reference.action.rawValue))]))
      }
    case .asset(let asset): append(json: .array([.string(asset.sha256), .int(asset.size)]))
    case .location(let location):
      append(
        json: .array([.double(location.latitude), .double(location.longitude)] + location.rest))
    case .list: preconditionFailure("a list has no lists as members")
    }
  }
}

extension Location {
  /// Altitude, horizontal and vertical accuracy, course, speed, time; null for what is missing.
  fileprivate var rest: [JSONValue] {
    [altitude, horizontalAccuracy, verticalAccuracy, course, speed].map {
      $0.map { .double($0) } ?? .null
    } + [timestamp.map { .int($0.milliseconds) } ?? .null]
  }

  /// The rest as JSON text; nil when there is none.
  var restText: [UInt8]? {
    let rest = rest
    guard rest.contains(where: { $0 != .null }) else { return nil }
    var text: [UInt8] = []
    text.append(json: .array(rest))
    return text
  }

  mutating func setRest(_ text: UnsafeRawBufferPointer) {
    guard let value = try? JSONParser.parse(text), case .array(let items) = value else { return }
    setRest(items)
  }

  fileprivate mutating func setRest(_ items: [JSONValue]) {
    guard items.count == 6 else { return }
    func number(_ place: Int) -> Double? {
      if case .double(let number) = items[place] { number } else { nil }
    }
    altitude = number(0)
    horizontalAccuracy = number(1)
    verticalAccuracy = number(2)
    course = number(3)
    speed = number(4)
    if case .int(let milliseconds) = items[5] {
      timestamp = Timestamp(milliseconds: milliseconds)
    }
  }
}
