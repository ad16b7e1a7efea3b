internal import Basics
internal import CloudModel
internal import WireFormat

/// The text of a value in a cell: texts, numbers and dates as they are, lists, places and
/// references as JSON (M4.6). Nothing for no value.
enum CellText {
  static func text(_ value: FieldValue?) -> String? {
    switch value {
    case nil: nil
    case .string(let text)?: text
    case .int64(let number)?: String(number)
    case .double(let number)?: number.description
    case .timestamp(let time)?: time.text
    case .bytes(let bytes)?: Base64.encode(bytes)
    case .location?, .reference?, .asset?, .list?: value.map(json)
    }
  }

  private static func json(_ value: FieldValue) -> String {
    var bytes: [UInt8] = []
    bytes.append(plain: value)
    return String(decoding: bytes, as: UTF8.self)
  }

  static func text(_ value: JSONValue) -> String? {
    switch value {
    case .null: nil
    case .string(let text): text
    case .bool, .int, .double, .outOfRange, .array, .object: value.text
    }
  }
}
