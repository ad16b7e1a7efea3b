internal import CloudModel
internal import CoreLocation
internal import Foundation

/// An object that stands for a field's value: what Apple's framework would return for it.
///
/// Texts, dates and bytes are Swift's types, which convert to Foundation's by `as?`. Numbers and
/// lists are `NSNumber` and `NSArray`: `as? Int`, `as? Double` and `as? Bool` give the same for a
/// number however it was saved, and `as? [String]` works for a list.
///
/// The object never changes once it is here, so threads can share it.
struct FieldObject: @unchecked Sendable {
  let value: any CKRecordValue

  /// The object of a value as an app gives it: a copy, with numbers and lists as objects. Nil for a
  /// type that no field can hold.
  init?(_ given: Any) {
    switch given {
    case let text as String: value = text
    case let number as NSNumber: value = number
    // Foundation on Linux does not convert it.
    case let number as CGFloat: value = NSNumber(value: Double(number))
    case let date as Date: value = date
    case let data as Data: value = data
    case let location as CLLocation: value = location
    case let reference as CKReference: value = reference
    case let asset as CKAsset: value = asset
    case let list as [Any]:
      var members: [Any] = []
      for member in list {
        guard let object = FieldObject(member), !(object.value is NSArray) else { return nil }
        members.append(object.value)
      }
      value = NSArray(array: members)
    default: return nil
    }
  }

  init(known value: any CKRecordValue) { self.value = value }

  // MARK: Stored values

  /// The object of a stored value, in a record of a zone. Assets are made by the reader of the
  /// record, which has their files.
  init?(_ stored: FieldValue, in zoneID: CKRecordZone.ID) {
    switch stored {
    case .string(let text): value = text
    case .int64(let number): value = NSNumber(value: number)
    case .double(let number): value = NSNumber(value: number)
    case .timestamp(let time): value = Date(time)
    case .bytes(let bytes): value = Data(bytes)
    case .location(let place): value = CLLocation(place)
    case .reference(let reference):
      let action = CKRecord.ReferenceAction(rawValue: UInt(reference.action.rawValue)) ?? .none
      value = CKReference(recordID: CKRecord.ID(reference.name, in: zoneID), action: action)
    case .asset: return nil
    case .list(let members):
      value = NSArray(array: members.compactMap { FieldObject($0, in: zoneID)?.value })
    }
  }

  /// The value as the store holds it; `asset` gives the contents of an asset. Only an encrypted
  /// date keeps more than its milliseconds. Throws `invalidArguments` for a value out of range.
  func fieldValue(
    isEncrypted: Bool = false, _ asset: (CKAsset) throws(CloudError) -> Asset
  ) throws(CloudError) -> FieldValue {
    switch value {
    case let text as String: return .string(text)
    case let number as NSNumber: return try number.fieldValue()
    case let date as Date: return .timestamp(try date.timestamp(isExact: isEncrypted))
    case let data as Data: return .bytes(Array(data))
    case let location as CLLocation: return .location(try location.location())
    case let reference as CKReference: return .reference(try reference.reference())
    case let file as CKAsset: return .asset(try asset(file))
    case let list as NSArray:
      var members: [FieldValue] = []
      for member in list {
        guard let object = FieldObject(member) else { continue }
        members.append(try object.fieldValue(isEncrypted: isEncrypted, asset))
      }
      return .list(members)
    default: throw CloudError(.invalidArguments, "not a value of a field: \(type(of: value))")
    }
  }

  /// The assets in the value or its members.
  var assets: [CKAsset] {
    if let asset = value as? CKAsset { return [asset] }
    return (value as? NSArray)?.compactMap { $0 as? CKAsset } ?? []
  }
}

extension NSNumber {
  /// Whether it holds a floating-point number.
  fileprivate var isReal: Bool {
    let type = UInt8(bitPattern: objCType.pointee)
    return type == UInt8(ascii: "d") || type == UInt8(ascii: "f")
  }

  /// The number as an INT64 or a DOUBLE. Throws `invalidArguments` for an integer beyond 64 bits.
  fileprivate func fieldValue() throws(CloudError) -> FieldValue {
    if isReal { return .double(doubleValue) }
    guard int64Value >= 0 || !(self > 0) else {
      throw CloudError(.invalidArguments, "the number \(self) is greater than \(Int64.max)")
    }
    return .int64(int64Value)
  }

  private static func > (number: NSNumber, other: Int) -> Bool {
    number.compare(NSNumber(value: other)) == .orderedDescending
  }
}

extension Date {
  init(_ time: Timestamp) {
    if let seconds = time.exactSeconds {
      self.init(timeIntervalSinceReferenceDate: seconds)
    } else {
      self.init(timeIntervalSince1970: Double(time.milliseconds) / 1000)
    }
  }

  /// The date in milliseconds, as the service keeps it (R3.3.4), or exactly. Throws
  /// `invalidArguments` for a date outside the years 1 to 9999.
  func timestamp(isExact: Bool = false) throws(CloudError) -> Timestamp {
    guard let exact = Timestamp(exactly: timeIntervalSinceReferenceDate) else {
      throw CloudError(.invalidArguments, "not a date from year 1 to 9999: \(self)")
    }
    return isExact ? exact : Timestamp(milliseconds: exact.milliseconds)
  }
}

extension CLLocation {
  /// A stored place; what it lacks has Core Location's values for unknown.
  convenience init(_ place: Location) {
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: place.latitude, longitude: place.longitude),
      altitude: place.altitude ?? 0, horizontalAccuracy: place.horizontalAccuracy ?? 0,
      verticalAccuracy: place.verticalAccuracy ?? -1, course: place.course ?? -1,
      speed: place.speed ?? -1,
      timestamp: place.timestamp.map { Date($0) } ?? Date(timeIntervalSinceReferenceDate: 0))
  }

  /// The place as the store holds it. Throws `invalidArguments` if a coordinate is out of range.
  func location() throws(CloudError) -> Location {
    guard
      var place = Location(latitude: coordinate.latitude, longitude: coordinate.longitude)
    else { throw CloudError(.invalidArguments, "not a place: \(self)") }
    (place.altitude, place.horizontalAccuracy) = (altitude, horizontalAccuracy)
    (place.verticalAccuracy, place.course, place.speed) = (verticalAccuracy, course, speed)
    place.timestamp = try timestamp.timestamp()
    return place
  }
}

extension CKReference {
  /// The reference as the store holds it. Throws `invalidArguments` for a name that no record can
  /// have.
  func reference() throws(CloudError) -> Reference {
    Reference(
      try RecordName(recordID.recordName), in: try recordID.zoneID.zone(),
      action: action == .deleteSelf ? .deleteSelf : .none)
  }
}
