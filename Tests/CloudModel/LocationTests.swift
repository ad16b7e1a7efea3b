internal import Basics
internal import CloudModel
internal import Testing

/// Places and distances (R7.2.7; P4.4: the exact distance is the haversine's).
@Suite struct LocationTests {
  private func place(_ latitude: Double, _ longitude: Double) throws -> Location {
    try #require(Location(latitude: latitude, longitude: longitude))
  }

  @Test(
    "distances are right within half a percent",
    arguments: [
      (51.5074, -0.1278, 48.8566, 2.3522, 343_500.0),  // London, Paris
      (37.7749, -122.4194, 40.7128, -74.0060, 4_129_000),  // San Francisco, New York
      (-33.8688, 151.2093, 35.6762, 139.6503, 7_823_000),  // Sydney, Tokyo
      (0, 179.5, 0, -179.5, 111_195), (89.5, 0, 89.5, 180, 111_195), (0, 0, 0, 180, 20_015_114),
      (90, 0, -90, 77, 20_015_114),
    ])
  func known(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ metres: Double) throws {
    let distance = try place(a, b).distance(to: place(c, d))
    #expect(abs(distance - metres) < metres * 0.005)
  }

  @Test("distance is a metric: zero to itself, symmetric, at most half the equator, no shortcuts")
  func metric() throws {
    var random = SplitMix64(state: 1)
    func next() throws -> Location {
      try place(
        Double(random.next() % 180_001) / 1000 - 90, Double(random.next() % 360_001) / 1000 - 180)
    }
    for _ in 0..<2000 {
      let (a, b, c) = (try next(), try next(), try next())
      #expect(a.distance(to: a) == 0)
      #expect(abs(a.distance(to: b) - b.distance(to: a)) < 1e-6)
      #expect((0...Location.earthRadius * .pi).contains(a.distance(to: b)))
      #expect(a.distance(to: c) <= a.distance(to: b) + b.distance(to: c) + 1e-6)
    }
  }

  @Test("latitudes go to 90 degrees and longitudes to 180; other numbers are refused")
  func limits() {
    for (latitude, longitude) in [(90, 180), (-90, -180), (0, 0)] as [(Double, Double)] {
      #expect(Location(latitude: latitude, longitude: longitude) != nil)
    }
    for (latitude, longitude) in [
      (90.000001, 0), (-91, 0), (0, 180.1), (0, -181), (.nan, 0), (0, .nan), (.infinity, 0),
      (0, -.infinity),
    ] as [(Double, Double)] {
      #expect(Location(latitude: latitude, longitude: longitude) == nil)
    }
  }

  @Test(
    "M3.4: lat,lon in degrees",
    arguments: [
      ("51.5,-0.12", (51.5, -0.12)), ("0,0", (0, 0)), ("51.5, -0.12", (51.5, -0.12)),
      ("-90,180", (-90, 180)), ("1e1,2E1", (10, 20)), ("", nil), ("51.5", nil), (",", nil),
      ("51.5,", nil), ("1,2,", nil), ("1,2,x", nil), ("1,2,inf", nil), ("1,2,3,4", nil),
      ("91,0", nil), ("0,181", nil), ("a,b", nil), ("1;2", nil),
      ("nan,0", nil), ("1 ,2", nil), ("inf,0", nil),
    ] as [(String, (Double, Double)?)])
  func text(_ text: String, _ degrees: (Double, Double)?) {
    let place = Location(text)
    #expect(place?.latitude == degrees?.0 && place?.longitude == degrees?.1)
  }

  @Test("at a pole all longitudes are the same place (P4.4)", arguments: [90.0, -90.0])
  func poles(_ latitude: Double) throws {
    for longitude in stride(from: -180.0, through: 180, by: 7.5) {
      let a = try #require(Location(latitude: latitude, longitude: 0))
      let b = try #require(Location(latitude: latitude, longitude: longitude))
      #expect(a.distance(to: b) == 0)
      let c = try #require(Location(latitude: latitude * 0.5, longitude: 33))
      #expect(c.distance(to: a) == c.distance(to: b))
    }
  }
}
