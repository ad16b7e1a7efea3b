internal import CloudModel
@_exported public import CoreLocation
@_exported public import Foundation

// Foundation on Linux declares these and refuses them. A descriptor made here compares objects as a
// whole, and its comparator names the key to whoever asks with a `KeyProbe`.
extension NSSortDescriptor {
  /// Sorts by a field.
  public convenience init(key: String?, ascending: Bool) {
    self.init(keyPath: \NSObject.self, ascending: ascending) { one, other in
      switch (one, other) {
      case (let probe as KeyProbe, _):
        probe.key = key
        return .orderedSame
      case (let one as CKRecord, let other as CKRecord):
        return key.map { one.compare(to: other, by: $0) } ?? .orderedSame
      default: return .orderedSame
      }
    }
  }
}

/// What has a field to sort by. A second `key` in the class itself would be ambiguous where the
/// compiler reads what a subclass overrides, and crash it in optimized builds.
public protocol KeyedSortDescriptor: NSSortDescriptor {}

extension NSSortDescriptor: KeyedSortDescriptor {}

extension KeyedSortDescriptor {
  /// The field; nil for a descriptor that was made otherwise.
  public var key: String? {
    guard keyPath == \NSObject.self as AnyKeyPath else { return nil }
    let probe = KeyProbe()
    _ = comparator(probe, probe)
    return probe.key
  }
}

/// Asks a descriptor of `NSSortDescriptor(key:ascending:)` for its key.
private final class KeyProbe: NSObject {
  var key: String?
}

extension CKRecord {
  private func sortable(_ key: String) -> Any? {
    switch key {
    case CKRecord.SystemFieldKey.creationDate: creationDate
    case CKRecord.SystemFieldKey.modificationDate: modificationDate
    default: object(forKey: key)
    }
  }

  fileprivate func compare(to other: CKRecord, by key: String) -> ComparisonResult {
    switch (sortable(key), other.sortable(key)) {
    case (nil, nil): .orderedSame
    case (nil, _): .orderedAscending
    case (_, nil): .orderedDescending
    case (let one as String, let other as String): one.compare(other)
    case (let one as NSNumber, let other as NSNumber): one.compare(other)
    case (let one as Date, let other as Date): one.compare(other)
    default: .orderedSame
    }
  }
}

/// Sorts by the distance of a location field from a place, the nearest first.
public final class CKLocationSortDescriptor: NSSortDescriptor {
  /// The place from which distances are measured.
  public let relativeLocation: CLLocation

  /// Creates a descriptor for a location field.
  public init(key: String, relativeLocation: CLLocation) {
    self.relativeLocation = relativeLocation
    super.init(keyPath: \NSObject.self, ascending: true) { one, _ in
      (one as? KeyProbe)?.key = key
      return .orderedSame
    }
  }

  /// Returns the descriptor itself, which never changes.
  public override func copy(with zone: NSZone? = nil) -> Any { self }
}

extension NSSortDescriptor {
  /// The descriptor as the service knows it. Throws `invalidArguments` for one without a key.
  func sortKey() throws(CloudError) -> SortKey {
    guard let key else {
      throw CloudError(.invalidArguments, "a sort descriptor must name a field")
    }
    let origin = try (self as? CKLocationSortDescriptor).map { (place) throws(CloudError) in
      try place.relativeLocation.location()
    }
    return SortKey(key, isAscending: ascending, origin: origin)
  }
}
