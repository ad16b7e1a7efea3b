internal import CloudModel
@_exported public import Foundation

/// A place on the Earth, with the other measurements of a device: a value, as a record's field
/// holds it. Nothing here measures where a device is.
public final class CLLocation: NSObject, NSSecureCoding, NSCopying, Sendable {
  /// The latitude and the longitude.
  public let coordinate: CLLocationCoordinate2D
  /// Metres above sea level.
  public let altitude: CLLocationDistance
  /// The accuracy of the coordinate.
  public let horizontalAccuracy: CLLocationAccuracy
  /// The accuracy of the altitude.
  public let verticalAccuracy: CLLocationAccuracy
  /// The direction of travel.
  public let course: CLLocationDirection
  /// The accuracy of the direction.
  public let courseAccuracy: CLLocationDirectionAccuracy
  /// The speed of travel.
  public let speed: CLLocationSpeed
  /// The accuracy of the speed.
  public let speedAccuracy: CLLocationSpeedAccuracy
  /// When the place was measured.
  public let timestamp: Date

  /// Creates a place with all measurements.
  public init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy,
    course: CLLocationDirection, courseAccuracy: CLLocationDirectionAccuracy,
    speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy, timestamp: Date
  ) {
    (self.coordinate, self.altitude) = (coordinate, altitude)
    (horizontalAccuracy, verticalAccuracy) = (hAccuracy, vAccuracy)
    (self.course, self.courseAccuracy) = (course, courseAccuracy)
    (self.speed, self.speedAccuracy) = (speed, speedAccuracy)
    self.timestamp = timestamp
  }

  /// Creates a place that was measured now; its altitude, course and speed are unknown.
  public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
      horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
  }

  /// Creates a place with an altitude.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy, timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy,
      verticalAccuracy: vAccuracy, course: -1, speed: -1, timestamp: timestamp)
  }

  /// Creates a place with a course and a speed.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy,
    course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy,
      verticalAccuracy: vAccuracy, course: course, courseAccuracy: -1, speed: speed,
      speedAccuracy: -1, timestamp: timestamp)
  }

  /// Metres along the Earth's surface to another place; altitudes are ignored. The same formula
  /// answers queries by distance.
  public func distance(from location: CLLocation) -> CLLocationDistance {
    Location.distance(
      coordinate.latitude, coordinate.longitude, location.coordinate.latitude,
      location.coordinate.longitude)
  }

  // MARK: Copying and archiving

  /// Returns the place itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Places can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  /// The keys of Core Location's archives.
  private enum Key {
    static let timestamp = "kCLLocationCodingKeyTimestamp"
    static let latitude = "kCLLocationCodingKeyCoordinateLatitude"
    static let longitude = "kCLLocationCodingKeyCoordinateLongitude"
    static let horizontalAccuracy = "kCLLocationCodingKeyHorizontalAccuracy"
    static let altitude = "kCLLocationCodingKeyAltitude"
    static let verticalAccuracy = "kCLLocationCodingKeyVerticalAccuracy"
    static let speed = "kCLLocationCodingKeySpeed"
    static let speedAccuracy = "kCLLocationCodingKeySpeedAccuracy"
    static let course = "kCLLocationCodingKeyCourse"
    static let courseAccuracy = "kCLLocationCodingKeyCourseAccuracy"
  }

  /// Writes the place to a keyed archive.
  public func encode(with coder: NSCoder) {
    coder.encode(timestamp.timeIntervalSinceReferenceDate, forKey: Key.timestamp)
    coder.encode(coordinate.latitude, forKey: Key.latitude)
    coder.encode(coordinate.longitude, forKey: Key.longitude)
    coder.encode(horizontalAccuracy, forKey: Key.horizontalAccuracy)
    coder.encode(altitude, forKey: Key.altitude)
    coder.encode(verticalAccuracy, forKey: Key.verticalAccuracy)
    coder.encode(speed, forKey: Key.speed)
    coder.encode(speedAccuracy, forKey: Key.speedAccuracy)
    coder.encode(course, forKey: Key.course)
    coder.encode(courseAccuracy, forKey: Key.courseAccuracy)
  }

  /// Reads a place from a keyed archive; nil without a coordinate.
  public convenience init?(coder: NSCoder) {
    guard coder.containsValue(forKey: Key.latitude), coder.containsValue(forKey: Key.longitude)
    else { return nil }
    func number(_ key: String, _ absent: Double) -> Double {
      coder.containsValue(forKey: key) ? coder.decodeDouble(forKey: key) : absent
    }
    self.init(
      coordinate: CLLocationCoordinate2D(
        latitude: coder.decodeDouble(forKey: Key.latitude),
        longitude: coder.decodeDouble(forKey: Key.longitude)),
      altitude: number(Key.altitude, 0), horizontalAccuracy: number(Key.horizontalAccuracy, 0),
      verticalAccuracy: number(Key.verticalAccuracy, -1), course: number(Key.course, -1),
      courseAccuracy: number(Key.courseAccuracy, -1), speed: number(Key.speed, -1),
      speedAccuracy: number(Key.speedAccuracy, -1),
      timestamp: Date(timeIntervalSinceReferenceDate: number(Key.timestamp, 0)))
  }

  // MARK: Comparing

  private var numbers: [Double] {
    [
      coordinate.latitude, coordinate.longitude, altitude, horizontalAccuracy, verticalAccuracy,
      course, courseAccuracy, speed, speedAccuracy, timestamp.timeIntervalSinceReferenceDate,
    ]
  }

  /// Whether all measurements are the same.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CLLocation else { return false }
    return self === other || numbers == other.numbers
  }

  public override var hash: Int { numbers.hashValue }

  /// `<+52.37,+4.89> +/- 5.00m`.
  public override var description: String {
    func signed(_ degrees: Double) -> String { (degrees < 0 ? "" : "+") + "\(degrees)" }
    return "<\(signed(coordinate.latitude)),\(signed(coordinate.longitude))> "
      + "+/- \(horizontalAccuracy)m"
  }
}
