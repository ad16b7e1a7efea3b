/// The time of an event on a device, by the device's clock.
public struct DeviceMoment: Sendable, Hashable {
  /// The time of the device's clock.
  public let time: Timestamp
  /// The device.
  public let device: Device

  /// Creates a moment.
  public init(_ time: Timestamp, on device: Device) { (self.time, self.device) = (time, device) }
}
