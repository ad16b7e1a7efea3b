internal import Basics
internal import CloudModel

extension DeviceMoment {
  /// Whether it is later than another one, or there is no other. Of the same moment on the same
  /// device that is true, as a device does not lose to itself.
  ///
  /// Clocks that agree to the millisecond leave the order to the names of the devices, so that the
  /// order of synchronizing does not matter (K28, D31).
  func wins(over other: DeviceMoment?) -> Bool {
    guard let other else { return true }
    return time != other.time
      ? time > other.time : !utf8Precedes(device.name, other.device.name)
  }
}
