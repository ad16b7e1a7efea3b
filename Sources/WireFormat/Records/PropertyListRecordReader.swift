public import CloudModel
internal import FoundationEssentials

/// Reads a property list as records: an array of dictionaries, or one dictionary (`cli.md` §5).
/// Dates are TIMESTAMP, data are BYTES. Property lists tell no places for their faults.
public enum PropertyListRecordReader {
  /// The records of a property list in any of its encodings. Throws `RecordReadingError`.
  public static func read(_ bytes: [UInt8]) throws(RecordReadingError) -> [RecordDraft] {
    let start = TextPosition(line: 1, column: 1)
    // The decoder ends the program at texts that are no UTF-8.
    let isText = !bytes.starts(with: "bplist".utf8)
    guard !isText || String(validating: bytes, as: UTF8.self) != nil else {
      throw RecordReadingError("not a property list: it is not UTF-8", at: start)
    }
    guard let value = try? PropertyListDecoder().decode(PropertyListValue.self, from: Data(bytes))
    else { throw RecordReadingError("not a property list", at: start) }
    let items: [PropertyListValue]
    if case .array(let members) = value { items = members } else { items = [value] }
    var drafts: [RecordDraft] = []
    for (index, item) in items.enumerated() {
      do throws(ValueFault) {
        drafts.append(try draft(item))
      } catch {
        throw RecordReadingError("record \(index + 1): \(error.message)", at: start)
      }
    }
    return drafts
  }

  fileprivate struct ValueFault: Error {
    let message: String
  }

  private static func draft(_ item: PropertyListValue) throws(ValueFault) -> RecordDraft {
    guard case .dictionary(var members) = item else {
      throw ValueFault(message: "a record is a dictionary")
    }
    var draft = RecordDraft()
    if case .dictionary(let fields)? = members["fields"] {
      draft.name = members["recordName"]?.text
      draft.type = members["recordType"]?.text
      draft.zone = members["zone"]?.text
      draft.parent = members["parent"]?.text
      members = fields
    }
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      for zone in value.referenceZones {
        draft.referenceZones.append(.init(zone, in: key, at: draft.position))
      }
      draft.fields.append(
        RecordDraft.Field(FieldName(stored: key), try value.fieldValue(key), at: draft.position))
    }
    return draft
  }
}

/// A value of a property list, whatever it is.
private enum PropertyListValue: Decodable {
  case string(String)
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  case date(Date)
  case data(Data)
  case array([PropertyListValue])
  case dictionary([String: PropertyListValue])

  /// Whether the value is -0.0, which decodes as the integer 0, too.
  private static func isNegativeZero(_ container: any SingleValueDecodingContainer) -> Bool {
    guard let value = try? container.decode(Double.self) else { return false }
    return value == 0 && value.sign == .minus
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self), !Self.isNegativeZero(container) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .real(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Date.self) {
      self = .date(value)
    } else if let value = try? container.decode(Data.self) {
      self = .data(value)
    } else if let value = try? container.decode([PropertyListValue].self) {
      self = .array(value)
    } else {
      self = .dictionary(try container.decode([String: PropertyListValue].self))
    }
  }

  /// The zones that references in the value name.
  var referenceZones: [String] {
    switch self {
    case .array(let items): items.flatMap(\.referenceZones)
    case .dictionary(let members) where members["recordName"] != nil:
      [members["zone"]?.text].compactMap { $0 }
    default: []
    }
  }

  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  func fieldValue(_ key: String) throws(PropertyListRecordReader.ValueFault) -> FieldValue {
    switch self {
    case .string(let text): return .string(text)
    case .bool(let flag): return .int64(flag ? 1 : 0)
    case .integer(let number): return .int64(number)
    case .real(let number): return .double(number)
    case .date(let date):
      let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
      guard let time = Int64(exactly: milliseconds).flatMap(Timestamp.init(given:)) else {
        throw PropertyListRecordReader.ValueFault(message: "\(key): the date is out of range")
      }
      return .timestamp(time)
    case .data(let data): return .bytes(Array(data))
    case .array(let items):
      var members: [FieldValue] = []
      for item in items { members.append(try item.fieldValue(key)) }
      return .list(members)
    case .dictionary(let members): return try Self.object(members, key)
    }
  }

  private static func object(
    _ members: [String: PropertyListValue], _ key: String
  ) throws(PropertyListRecordReader.ValueFault) -> FieldValue {
    if let name = members["recordName"]?.text.flatMap({ try? RecordName($0) }) {
      let action = members["action"]?.text.flatMap { Reference.Action(name: $0) } ?? .none
      return .reference(Reference(name, action: action))
    }
    if let latitude = members["latitude"]?.number, let longitude = members["longitude"]?.number,
      let place = Location(latitude: latitude, longitude: longitude)
    {
      return .location(place)
    }
    throw PropertyListRecordReader.ValueFault(
      message: "\(key): a dictionary is a value only as {latitude, longitude} or {recordName}")
  }

  private var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    default: nil
    }
  }
}
