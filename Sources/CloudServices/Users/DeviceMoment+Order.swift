internal import Basics
internal import CloudModel

extension DeviceMoment {
  /// Whether this moment is later than `other`; true if there is no other, or if both are the same:
  /// a device never loses to itself.
  ///
  /// Device names break ties between equal times, so the order in which devices synchronize does
  /// not matter (K28, D31).
  func wins(over other: DeviceMoment?) -> Bool {
    guard let other else { return true }
    return time != other.time
      ? time > other.time : !utf8Precedes(device.name, other.device.name)
  }
}
