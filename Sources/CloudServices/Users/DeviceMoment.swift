internal import Basics
internal import CloudModel

/// When something happened on a device, by the device's clock. Clocks that agree to the millisecond
/// leave the order to the names of the devices, so that the order of synchronizing does not matter
/// (K28, D31).
struct DeviceMoment {
  private let time: Timestamp
  private let device: Device

  /// A moment on a device.
  init(_ time: Timestamp, on device: Device) { (self.time, self.device) = (time, device) }

  /// Whether it is later than another one. Of the same moment on the same device that is true, as a
  /// device does not lose to itself.
  func wins(over other: DeviceMoment) -> Bool {
    time != other.time ? time > other.time : !utf8Precedes(device.name, other.device.name)
  }
}
