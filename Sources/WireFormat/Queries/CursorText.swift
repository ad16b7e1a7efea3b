internal import Basics
public import CloudModel

// A cursor as opaque text for scripts: `1.` and JSON in Base64url. The digit is the format version.

extension QueryCursor {
  /// The cursor's text.
  public var text: String {
    var members = [
      JSONMember("t", .string(type.text)), JSONMember("p", .string(predicate)),
      JSONMember("s", .array(sort.map(\.json))),
      JSONMember("z", zone.map { .string($0.name.text) } ?? .null),
      JSONMember("n", .int(now.milliseconds)), JSONMember("o", .int(Int64(bitPattern: origin))),
      JSONMember("v", .array(place.values.map { $0?.cursorJSON ?? .null })),
      JSONMember("i", .int(place.number)),
    ]
    if case .user(let owner)? = zone?.owner {
      members.append(JSONMember("w", .string(owner.text)))
    }
    return "1." + Base64.encodeURL(Array(JSONValue.object(members).text.utf8))
  }

  /// Parses a cursor's text; nil for other text.
  public init?(text: String) {
    guard text.hasPrefix("1.") else { return nil }
    guard let bytes = Base64.decodeURL(String(text.dropFirst(2))),
      let json = try? JSONParser.parse(String(decoding: bytes, as: UTF8.self)),
      case .string(let type)? = json["t"], let recordType = try? RecordType(type),
      case .string(let predicate)? = json["p"], case .array(let sort)? = json["s"],
      case .int(let now)? = json["n"], case .array(let values)? = json["v"],
      case .int(let number)? = json["i"], case .int(let origin)? = json["o"]
    else { return nil }
    let zone = json["z"]?.string.map { name in
      Result { try ZoneID(name: name, owner: json["w"]?.string) }
    }
    if case .failure? = zone { return nil }
    let keys = sort.compactMap { SortKey(json: $0) }
    let read = values.map { FieldValue(cursorJSON: $0) }
    guard keys.count == sort.count, read.count == keys.count else { return nil }
    self.init(
      type: recordType, predicate: predicate, sort: keys,
      zone: try? zone?.get(),
      now: Timestamp(milliseconds: now), origin: UInt64(bitPattern: origin),
      place: QueryPlace(values: read, number: number))
  }
}

extension SortKey {
  fileprivate var json: JSONValue {
    var items: [JSONValue] = [.string(key), .bool(isAscending)]
    if let origin { items += [.double(origin.latitude), .double(origin.longitude)] }
    return .array(items)
  }

  fileprivate init?(json: JSONValue) {
    guard case .array(let items) = json, items.count >= 2, case .string(let key) = items[0],
      case .bool(let isAscending) = items[1]
    else { return nil }
    var origin: Location?
    if items.count == 4 {
      guard case .double(let latitude) = items[2], case .double(let longitude) = items[3] else {
        return nil
      }
      origin = Location(latitude: latitude, longitude: longitude)
    }
    self.init(key, isAscending: isAscending, origin: origin)
  }
}

extension FieldValue {
  /// The value in a cursor: numbers and strings unchanged, others marked by a letter.
  fileprivate var cursorJSON: JSONValue {
    switch self {
    case .string(let text): .string(text)
    case .int64(let number): .int(number)
    case .double(let number): .double(number)
    case .timestamp(let time): .object([JSONMember("t", .int(time.milliseconds))])
    case .reference(let reference): .object([JSONMember("r", .string(reference.name.text))])
    case .bytes, .location, .asset, .list: .null
    }
  }

  fileprivate init?(cursorJSON json: JSONValue) {
    switch json {
    case .string(let text): self = .string(text)
    case .int(let number): self = .int64(number)
    case .double(let number): self = .double(number)
    case .object:
      if case .int(let time)? = json["t"] {
        self = .timestamp(Timestamp(milliseconds: time))
      } else if case .string(let name)? = json["r"] {
        self = .reference(Reference(RecordName(stored: name)))
      } else {
        return nil
      }
    case .null, .bool, .array, .outOfRange: return nil
    }
  }
}
