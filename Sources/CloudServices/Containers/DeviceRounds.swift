internal import Basics
internal import CloudModel

/// What a synchronization of a device did.
protocol DeviceSynchronization {
  /// One that could not take place.
  static var unsynchronized: Self { get }
  /// How much it sent.
  var sent: Int { get }
  /// Adds what a later one of the same device did.
  mutating func add(_ other: Self)
}

extension DeviceApp {
  /// Synchronizes devices, in their order, until none has news for another. `exchange` gets a
  /// device with its settings, and in the second round returns nil if there is no news for it.
  func synchronize<Result: DeviceSynchronization>(
    _ devices: [Device], _ known: [String: NamedDevice],
    _ exchange: (Device, NamedDevice?, _ isSecondRound: Bool) throws -> Result?
  ) throws -> [(device: Device, result: Result)] {
    var results = devices.map { (device: $0, result: Result.unsynchronized) }
    // Changes that a device sends in the first round reach the earlier devices in the second.
    for isSecondRound in [false, true] {
      var sent = 0
      for (place, device) in devices.enumerated() {
        let settings = known[device.name]
        guard settings?.isOnline ?? true,
          let done = try exchange(device, settings, isSecondRound)
        else { continue }
        results[place].result.add(done)
        sent += done.sent
      }
      if sent == 0 { break }
    }
    return results
  }
}
