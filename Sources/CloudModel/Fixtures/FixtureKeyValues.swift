internal import Basics

/// The keys of an account in a fixture: those in iCloud, or those on a device.
public struct FixtureKeyValues: FixtureEntry {
  /// The device; nil for iCloud.
  public var device: Device?
  /// Their owner.
  public var owner: Account
  /// The keys with their values, in byte order.
  public var values: [PropertyListValue.Member]
  /// The keys that are not in iCloud yet, in byte order.
  public var pending: [String] = []

  /// Creates the keys.
  public init(on device: Device?, of owner: Account, _ values: [PropertyListValue.Member]) {
    (self.device, self.owner, self.values) = (device, owner, values)
  }

  /// What errors call it.
  public var label: String { "entry '\(place.text)' of 'keyValue'" }

  /// What a comparison prints.
  public var attributes: FixtureAttributes {
    var texts = values.map { ($0.key, $0.value.text) }
    if !pending.isEmpty { texts.append(("pending", pending.separated(by: ","))) }
    return FixtureAttributes(ofApp: place, "keyValue", texts)
  }

  /// Their place.
  public var place: FixturePlace { FixturePlace(owner: owner, device: device) }
}

/// The place of keys or documents: iCloud, or a device. A fixture writes `ann` and `ann@phone`.
public struct FixturePlace: Sendable, Equatable {
  /// The owner.
  public let owner: Account
  /// The device; nil for iCloud.
  public let device: Device?

  /// Creates a place.
  public init(owner: Account, device: Device?) { (self.owner, self.device) = (owner, device) }

  /// Parses a place: the text after the last `@` is a device, or iCloud if empty. Throws
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

  /// The place as written in a fixture.
  public var text: String {
    if let device { return "\(owner.name)@\(device.name)" }
    return owner.name.unicodeScalars.contains("@") ? owner.name + "@" : owner.name
  }
}

extension FixtureAttributes {
  /// Creates the attributes of an app's data, on a device or in iCloud.
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
      case .unsigned(let number): String(number)
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
