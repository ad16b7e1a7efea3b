#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A place on the Earth, with other measurements of a device (R3.3.7).
public struct Location: Sendable, Equatable {
  /// Degrees north, -90 to 90.
  public var latitude: Double
  /// Degrees east, -180 to 180.
  public var longitude: Double
  /// Metres above sea level.
  public var altitude: Double?
  /// Metres.
  public var horizontalAccuracy: Double?
  /// Metres.
  public var verticalAccuracy: Double?
  /// Degrees from north.
  public var course: Double?
  /// Metres per second.
  public var speed: Double?
  /// When it was measured.
  public var timestamp: Timestamp?

  /// Creates a place. Nil if a coordinate is out of range or not a number.
  public init?(latitude: Double, longitude: Double) {
    guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether two places are the same; numbers are compared by bits: 0.0 is not -0.0.
  public static func == (left: Location, right: Location) -> Bool {
    left.timestamp == right.timestamp && left.bits == right.bits
  }

  private var bits: [UInt64?] {
    [latitude, longitude, altitude, horizontalAccuracy, verticalAccuracy, course, speed]
      .map { $0?.bitPattern }
  }

  /// Parses `lat,lon` in degrees, and `lat,lon,altitude` in metres. Nil for other text.
  public init?(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3, let latitude = Self.number(parts[0]),
      let longitude = Self.number(parts[1])
    else { return nil }
    self.init(latitude: latitude, longitude: longitude)
    guard parts.count == 3 else { return }
    guard let altitude = Self.number(parts[2]), altitude.isFinite else { return nil }
    self.altitude = altitude
  }

  private static func number(_ text: Substring) -> Double? {
    Double(text.drop { $0 == " " })
  }

  /// The radius of the sphere that distances are measured on: the Earth's mean radius (IUGG),
  /// in metres.
  public static let earthRadius = 6_371_008.8

  /// Metres along the Earth's surface, by the haversine formula; altitude is ignored (R7.2.7).
  public func distance(to other: Location) -> Double {
    Self.distance(latitude, longitude, other.latitude, other.longitude)
  }

  /// Metres between two places given in degrees.
  public static func distance(
    _ latitude1: Double, _ longitude1: Double, _ latitude2: Double, _ longitude2: Double
  ) -> Double {
    let radians = Double.pi / 180
    let halfLatitude = sin((latitude2 - latitude1) * radians / 2)
    let halfLongitude = sin((longitude2 - longitude1) * radians / 2)
    let h =
      halfLatitude * halfLatitude
      + cosine(latitude1) * cosine(latitude2) * halfLongitude * halfLongitude
    return 2 * earthRadius * asin(min(1, h.squareRoot()))
  }

  /// The cosine of a latitude. Exactly 0 at a pole, where all longitudes are one place.
  private static func cosine(_ latitude: Double) -> Double {
    abs(latitude) == 90 ? 0 : cos(latitude * .pi / 180)
  }
}
