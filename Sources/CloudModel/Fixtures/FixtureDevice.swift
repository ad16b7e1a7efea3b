/// A device of a fixture.
public struct FixtureDevice: Sendable, Equatable {
  /// The device.
  public var device: Device
  /// Its settings.
  public var settings: NamedDevice

  /// Creates a device.
  public init(_ device: Device, _ settings: NamedDevice) {
    (self.device, self.settings) = (device, settings)
  }
}

extension FixtureDevice: FixtureEntry {
  /// What errors call it.
  public var label: String { "device '\(device.name)'" }

  /// What a comparison prints.
  public var attributes: FixtureAttributes {
    var values = [("kind", settings.kind.rawValue)]
    if let account = settings.account { values.append(("account", account.name)) }
    if settings.clockOffset != 0 { values.append(("clockOffset", "\(settings.clockOffset) ms")) }
    if !settings.isOnline { values.append(("online", "false")) }
    return FixtureAttributes(
      scope: .public, zone: .defaultZone, name: RecordName(stored: device.name),
      type: RecordType(stored: "device"), values: values)
  }
}
