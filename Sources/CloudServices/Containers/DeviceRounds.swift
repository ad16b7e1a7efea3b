internal import Basics
internal import CloudModel

/// The result of synchronizing a device.
protocol DeviceSynchronization {
  /// The result for a device that cannot synchronize.
  static var unsynchronized: Self { get }
  /// How much it sent.
  var sent: Int { get }
  /// Adds the result of a later round of the same device.
  mutating func add(_ other: Self)
}

extension DeviceApp {
  /// Synchronizes devices in their order, in at most two rounds. `exchange` synchronizes one
  /// device; it may return nil in the second round if iCloud has nothing new for the device.
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
