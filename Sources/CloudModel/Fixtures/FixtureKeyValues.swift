internal import Basics

/// The keys of an account in a fixture: those that iCloud has, or those of a device.
public struct FixtureKeyValues: Sendable, Equatable {
  /// The device; nil for iCloud.
  public var device: Device?
  /// Whose they are; nil for the account in use.
  public var owner: Account?
  /// The keys with their values, in byte order.
  public var values: [PropertyListValue.Member]
  /// The keys that iCloud does not know of yet, in byte order.
  public var pending: [String] = []

  /// Puts keys together.
  public init(on device: Device?, of owner: Account?, _ values: [PropertyListValue.Member]) {
    (self.device, self.owner, self.values) = (device, owner, values)
  }

  /// The attributes.
  public var attributes: FixtureAttributes {
    let owner = owner.map { ZoneOwner.user(UserRecordName(stored: $0.name)) } ?? .current
    var texts = values.map { ($0.key, $0.value.text) }
    if !pending.isEmpty { texts.append(("pending", pending.separated(by: ","))) }
    return FixtureAttributes(
      scope: .private, zone: ZoneID(.defaultZone, owner: owner),
      name: RecordName(stored: device?.name ?? "iCloud"), type: RecordType(stored: "keyValues"),
      values: texts)
  }
}

extension PropertyListValue {
  /// The value with its type, as a comparison prints it: `integer 13`.
  fileprivate var text: String {
    let value =
      switch self {
      case .string(let text): text
      case .integer(let number): String(number)
      case .double(let number): String(number)
      case .bool(let isTrue): String(isTrue)
      case .date(let time): time.text
      case .data(let bytes): Base64.encode(bytes)
      case .array(let items): "[\(items.map(\.text).separated(by: ", "))]"
      case .dictionary(let members):
        "{\(members.map { "\($0.key): \($0.value.text)" }.separated(by: ", "))}"
      }
    return "\(kind.rawValue) \(value)"
  }
}
