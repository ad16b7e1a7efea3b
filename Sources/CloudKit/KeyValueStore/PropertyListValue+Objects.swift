internal import CloudModel
internal import Foundation

extension PropertyListValue {
  /// The object of the value, as an app gets it.
  var object: Any {
    switch self {
    case .string(let text): text
    case .integer(let number): NSNumber(value: number)
    case .unsigned(let number): NSNumber(value: number)
    case .double(let number): NSNumber(value: number)
    case .bool(let isTrue): NSNumber(value: isTrue)
    case .date(let time): Date(time)
    case .data(let bytes): Data(bytes)
    case .array(let items): items.map(\.object)
    case .dictionary(let members):
      Dictionary(members.map { ($0.key, $0.value.object) }, uniquingKeysWith: { $1 })
    }
  }

  /// The value of an app's object; nil for what a property list cannot have.
  init?(object: Any) {
    switch object {
    case let text as String: self = .string(text)
    case let isTrue as Bool where type(of: object) == Bool.self: self = .bool(isTrue)
    case let number as NSNumber: self.init(number)
    case let date as Date:
      guard let time = try? date.timestamp() else { return nil }
      self = .date(time)
    case let data as Data: self = .data(Array(data))
    case let items as [Any]:
      let values = items.compactMap { PropertyListValue(object: $0) }
      guard values.count == items.count else { return nil }
      self = .array(values)
    case let members as [String: Any]:
      let values = members.compactMap { key, value in
        PropertyListValue(object: value).map { Member(key, $0) }
      }
      guard values.count == members.count else { return nil }
      self = .dictionary(of: values)
    default: return nil
    }
  }

  private init?(_ number: NSNumber) {
    switch UInt8(bitPattern: number.objCType.pointee) {
    // Foundation on Linux gives a Boolean the type of a small integer.
    case UInt8(ascii: "c") where number.int64Value == 0 || number.int64Value == 1,
      UInt8(ascii: "B"):
      self = .bool(number.boolValue)
    case UInt8(ascii: "d"), UInt8(ascii: "f"):
      guard number.doubleValue.isFinite else { return nil }
      self = .double(number.doubleValue)
    case UInt8(ascii: "Q"):
      let unsigned = number.uint64Value
      self = Int64(exactly: unsigned).map { .integer($0) } ?? .unsigned(unsigned)
    default: self = .integer(number.int64Value)
    }
  }
}
