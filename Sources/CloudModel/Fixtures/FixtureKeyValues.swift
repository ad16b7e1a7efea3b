internal import Basics

/// The keys of an account in a fixture: those that iCloud has, or those of a device.
public struct FixtureKeyValues: Sendable, Equatable {
  /// The device; nil for iCloud.
  public var device: Device?
  /// Whose they are.
  public var owner: Account
  /// The keys with their values, in byte order.
  public var values: [PropertyListValue.Member]
  /// The keys that iCloud does not know of yet, in byte order.
  public var pending: [String] = []

  /// Puts keys together.
  public init(on device: Device?, of owner: Account, _ values: [PropertyListValue.Member]) {
    (self.device, self.owner, self.values) = (device, owner, values)
  }

  /// The attributes.
  public var attributes: FixtureAttributes {
    var texts = values.map { ($0.key, $0.value.text) }
    if !pending.isEmpty { texts.append(("pending", pending.separated(by: ","))) }
    return FixtureAttributes(ofApp: place, "keyValue", texts)
  }

  /// Where they are.
  public var place: FixturePlace { FixturePlace(owner: owner, device: device) }
}

/// Where something of the other half of iCloud is: in iCloud, or on a device. A fixture writes
/// `ann` and `ann@phone`.
public struct FixturePlace: Sendable, Equatable {
  /// Whose it is.
  public let owner: Account
  /// The device; nil for iCloud.
  public let device: Device?

  /// Puts a place together.
  public init(owner: Account, device: Device?) { (self.owner, self.device) = (owner, device) }

  /// Reads a place: what follows the last `@` is a device, nothing for iCloud. Throws
  /// `invalidArguments`.
  public init(_ text: String) throws(CloudError) {
    guard let mark = text.unicodeScalars.lastIndex(of: "@") else {
      self.init(owner: try Account(text), device: nil)
      return
    }
    let device = String(text.unicodeScalars[text.unicodeScalars.index(after: mark)...])
    self.init(
      owner: try Account(String(text.unicodeScalars[..<mark])),
      device: device.isEmpty ? nil : try Device(device))
  }

  /// The place as it is written.
  public var text: String {
    if let device { return "\(owner.name)@\(device.name)" }
    return owner.name.unicodeScalars.contains("@") ? owner.name + "@" : owner.name
  }
}

extension FixtureAttributes {
  /// What a comparison says of something that an app on a device has, or iCloud.
  public init(ofApp place: FixturePlace, _ type: String, _ values: [(String, String)]) {
    self.init(
      scope: .private,
      zone: ZoneID(.defaultZone, owner: .user(UserRecordName(stored: place.owner.name))),
      name: RecordName(stored: place.device?.name ?? "iCloud"), type: RecordType(stored: type),
      values: values.map { (key: $0.0, text: $0.1) })
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
