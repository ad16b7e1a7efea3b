internal import Basics
internal import CloudModel
internal import SQLite

/// The distance of a location field from a place, in SQL over the type's table `t`.
struct PlaceDistance {
  let column: FieldColumn
  let origin: Location

  /// The SQL function for distances: latitude, longitude, latitude, longitude → metres.
  static let function = "ckdb_distance"
  /// Records without a location sort after all others by distance.
  static let farthest = 1e300

  private var latitude: String { "t.\(column.parts[0].name)" }
  private var longitude: String { "t.\(column.parts[1].name)" }

  /// Meters; NULL without a location.
  var sql: SQLFragment {
    SQLFragment(
      "\(Self.function)(\(latitude), \(longitude), ?, ?)",
      [.real(origin.latitude), .real(origin.longitude)])
  }

  /// The condition that a location is in the box of degrees around a circle, which an index can
  /// find without trigonometry; `isHidden` keeps SQLite from using the index.
  ///
  /// Along a path of the radius's length the longitude changes by at most that length divided by
  /// the cosine of the greatest latitude on it. Over a pole or ±180° longitudes have no bounds. The
  /// box is widened by a millionth, far more than the error of the arithmetic.
  func box(_ radius: Double, isHidden: Bool = false) -> SQLFragment {
    let sign = isHidden ? "+" : ""
    let degrees = radius / Location.earthRadius * 180 / .pi * 1.000001 + 1e-9
    var box = SQLFragment(
      "\(sign)\(latitude) BETWEEN ? AND ?",
      [.real(origin.latitude - degrees), .real(origin.latitude + degrees)])
    let highest = Swift.abs(origin.latitude) + degrees
    guard highest < 89 else { return box }
    let width = degrees / Mathematics.cosine(degrees: highest) * 1.000001
    if origin.longitude - width >= -180, origin.longitude + width <= 180 {
      box += SQLFragment(
        " AND \(sign)\(longitude) BETWEEN ? AND ?",
        [.real(origin.longitude - width), .real(origin.longitude + width)])
    }
    return box
  }
}

/// An order by distance, ring by ring from its center: an index of locations finds each ring, and
/// the nearest records come without reading the others.
struct DistanceRings {
  let distance: PlaceDistance
  /// The possible distances of matching records.
  private var least = 0.0
  private var greatest = Double.infinity

  /// Rings around a center, as far as the circles of a predicate reach.
  init(_ distance: PlaceDistance, within predicate: Predicate) {
    self.distance = distance
    for circle in predicate.circles(on: distance.column.schema.name.text) {
      let way = distance.origin.distance(to: circle.center)
      // A millionth and a meter are far more than the error of the arithmetic.
      let reach = circle.radius * 1.000001 + way * 0.000001 + 1
      least = max(least, way - reach)
      greatest = min(greatest, way + reach)
    }
  }

  /// Half of the circumference of the Earth: no point is farther.
  private static let halfway = Location.earthRadius * .pi

  /// The conditions that select, one after the other, all records from a distance on.
  func conditions(from start: Double?) -> [SQLFragment] {
    var conditions: [SQLFragment] = []
    var inner = max(least, start ?? 0)
    var width = greatest < Self.halfway ? (greatest - least) / 64 : 1000
    while inner < min(greatest, Self.halfway) {
      // After a page of a ring comes the rest of that ring.
      width = max(width, (inner - least) / 2)
      let outer = inner + width
      conditions.append(
        distance.box(outer) + SQLFragment(" AND ") + distance.sql
          + SQLFragment(" BETWEEN ? AND ?", [.real(inner), .real(outer.nextDown)]))
      inner = outer
      width *= 2
    }
    if greatest >= Self.halfway {
      conditions.append(
        SQLFragment("ifnull(") + distance.sql
          + SQLFragment(", \(PlaceDistance.farthest)) >= ?", [.real(inner)]))
    }
    return conditions
  }
}

extension Predicate {
  /// The circles in which a location field of every matching record must be.
  fileprivate func circles(on key: String) -> [(center: Location, radius: Double)] {
    switch self {
    case .and(let parts, _): parts.decisive.flatMap { $0.circles(on: key) }
    case .comparison(let comparison): comparison.circle(on: key).map { [$0] } ?? []
    case .constant, .or, .not: []
    }
  }
}

extension Comparison {
  fileprivate func circle(on key: String) -> (center: Location, radius: Double)? {
    guard quantifier == nil, operation == .less || operation == .lessOrEqual,
      case .distance(let one, let other, _) = left, case .value(let value, _) = right,
      let radius = value.number
    else { return nil }
    switch (one, other) {
    case (.key(key, _), .value(.location(let place), _)),
      (.value(.location(let place), _), .key(key, _)):
      return (place, radius)
    default: return nil
    }
  }
}
