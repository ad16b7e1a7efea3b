internal import Basics
internal import CloudModel

/// LOCATION: latitude, longitude, and optional measurements.
enum LocationCodec: FieldCodec {
  static let columns = [
    CodecColumn(".latitude", "ANY"), CodecColumn(".longitude", "ANY"),
    CodecColumn(".rest", "TEXT"),
  ]

  static func write(_ value: Location, to cells: inout some CellWriter) {
    cells.real(value.latitude)
    cells.real(value.longitude)
    if let rest = value.restText { rest.withUnsafeBytes { cells.text($0) } } else { cells.null() }
  }

  static func read(_ row: some CellReader, at place: Int) -> Location? {
    var location = Location(
      latitude: row.value(place).double, longitude: row.value(place + 1).double)
    let rest = row.value(place + 2)
    if !rest.isNull, case .array(let items)? = try? JSONParser.parse(rest.utf8) {
      location?.setRest(items)
    }
    return location
  }

  static func copy(
    _ row: some CellReader, at place: Int, to cells: inout some CellWriter
  ) {
    cells.real(row.value(place).double)
    cells.real(row.value(place + 1).double)
    let rest = row.value(place + 2)
    if rest.isNull { cells.null() } else { cells.text(rest.utf8) }
  }

  /// `[latitude, longitude, …]`.
  static func append(member value: Location, to text: inout [UInt8]) {
    text.append(json: .array([.double(value.latitude), .double(value.longitude)] + value.rest))
  }

  static func value(member json: JSONValue) -> Location? {
    guard let parts = json.array, parts.count >= 2, case .double(let latitude) = parts[0],
      case .double(let longitude) = parts[1]
    else { return nil }
    var location = Location(latitude: latitude, longitude: longitude)
    location?.setRest(Array(parts.dropFirst(2)))
    return location
  }

  static func text(_ value: Location) -> String? { nil }

  static func value(text: String) -> Location? { Location(text) }

  static func append(plain value: Location, to bytes: inout [UInt8]) {
    bytes.append(text: "{\"latitude\":")
    DoubleCodec.append(plain: value.latitude, to: &bytes)
    bytes.append(text: ",\"longitude\":")
    DoubleCodec.append(plain: value.longitude, to: &bytes)
    for (name, number) in value.measurements {
      guard let number else { continue }
      bytes.append(text: ",\"\(name)\":")
      DoubleCodec.append(plain: number, to: &bytes)
    }
    if let time = value.timestamp {
      bytes.append(text: ",\"timestamp\":")
      bytes.append(jsonString: time.text)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  static func wire(_ value: Location) -> JSONValue {
    var members = value.coordinates
    for (name, number) in value.measurements {
      if let number { members.append(JSONMember(name, .double(number))) }
    }
    if let time = value.timestamp {
      members.append(JSONMember("timestamp", .int(time.milliseconds)))
    }
    return .object(members)
  }

  static func value(wire json: JSONValue) -> Location? {
    func number(_ name: String) -> Double? { json[name].flatMap { DoubleCodec.value(wire: $0) } }
    guard let latitude = number("latitude"), let longitude = number("longitude"),
      var location = Location(latitude: latitude, longitude: longitude)
    else { return nil }
    location.altitude = number("altitude")
    location.horizontalAccuracy = number("horizontalAccuracy")
    location.verticalAccuracy = number("verticalAccuracy")
    location.course = number("course")
    location.speed = number("speed")
    location.timestamp = json["timestamp"].flatMap { TimestampCodec.value(wire: $0) }
    return location
  }

  /// cktool shows only the place.
  static func tool(_ value: Location) -> JSONValue { .object(value.coordinates) }

  static func value(tool json: JSONValue) -> Location? {
    guard let latitude = json["latitude"]?.number, let longitude = json["longitude"]?.number else {
      return nil
    }
    return Location(latitude: latitude, longitude: longitude)
  }

  static func size(_ value: Location) -> Int { 64 }
}

extension Location {
  fileprivate var coordinates: [JSONMember] {
    [JSONMember("latitude", .double(latitude)), JSONMember("longitude", .double(longitude))]
  }

  fileprivate var measurements: [(name: String, number: Double?)] {
    [
      ("altitude", altitude), ("horizontalAccuracy", horizontalAccuracy),
      ("verticalAccuracy", verticalAccuracy), ("course", course), ("speed", speed),
    ]
  }

  /// Altitude, horizontal and vertical accuracy, course, speed, time; null for missing ones.
  fileprivate var rest: [JSONValue] {
    [altitude, horizontalAccuracy, verticalAccuracy, course, speed].map {
      $0.map { .double($0) } ?? .null
    } + [timestamp.map { .int($0.milliseconds) } ?? .null]
  }

  /// The rest as JSON text; nil if there is none.
  fileprivate var restText: [UInt8]? {
    let rest = rest
    guard rest.contains(where: { $0 != .null }) else { return nil }
    var text: [UInt8] = []
    text.append(json: .array(rest))
    return text
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

// MARK: Plain JSON

extension LocationCodec {
  /// Whether an object with these keys is a location.
  static func isMeant(by keys: Set<String>) -> Bool { keys.contains("latitude") }

  /// Reads plain JSON.
  static func value(plain members: [JSONMember]) throws(ValueReadingError) -> Location {
    var numbers: [String: Double] = [:]
    var time: Timestamp?
    for member in members {
      switch member.value {
      case .int(let number) where member.name == "timestamp":
        time = try moment(number)
      case .int(let number): numbers[member.name] = Double(number)
      case .double(let number): numbers[member.name] = number
      case .string(let text) where member.name == "timestamp":
        guard let read = Timestamp(text) else { throw noMoment }
        time = read
      case .null: break
      case .bool, .outOfRange, .string, .array, .object:
        throw ValueReadingError("'\(member.name)' of a location must be a number")
      }
    }
    guard let latitude = numbers.removeValue(forKey: "latitude"),
      let longitude = numbers.removeValue(forKey: "longitude"),
      var location = Location(latitude: latitude, longitude: longitude)
    else {
      throw ValueReadingError(
        "a location needs a latitude from -90 to 90 and a longitude from -180 to 180")
    }
    location.altitude = numbers.removeValue(forKey: "altitude")
    location.horizontalAccuracy = numbers.removeValue(forKey: "horizontalAccuracy")
    location.verticalAccuracy = numbers.removeValue(forKey: "verticalAccuracy")
    location.course = numbers.removeValue(forKey: "course")
    location.speed = numbers.removeValue(forKey: "speed")
    if let number = numbers.removeValue(forKey: "timestamp") {
      time = try moment(Int64(exactly: number.rounded()))
    }
    location.timestamp = time
    if let name = numbers.keys.sorted().first {
      throw ValueReadingError("unknown key '\(name)' in a location")
    }
    return location
  }

  private static let noMoment = ValueReadingError(
    "the location's timestamp must be a date in the years 0001 to 9999")

  private static func moment(_ milliseconds: Int64?) throws(ValueReadingError) -> Timestamp {
    guard let time = milliseconds.flatMap(Timestamp.init(given:)) else { throw noMoment }
    return time
  }
}
