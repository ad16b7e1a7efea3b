#if Server
  internal import CloudModel

  /// A small map of the world with places on it.
  enum WorldMap {
    /// Land in cells of 3 degrees, from 84° N and 180° W, as the strips of an SVG path. The cells
    /// were computed from Natural Earth's map of countries (public domain).
    private static let land: String = {
      var path = ""
      let rows = PackageResources.land_txt.split(separator: UInt8(ascii: "\n"))
      for (row, cells) in rows.enumerated() {
        var start: Int?
        for (column, cell) in (Array(cells) + [UInt8(ascii: ".")]).enumerated() {
          if cell == UInt8(ascii: "#") {
            if start == nil { start = column }
          } else if let first = start {
            path += "M\(first * 3 - 180) \(row * 3 - 82)h\((column - first) * 3)"
            start = nil
          }
        }
      }
      return path
    }()

    /// The map with some places.
    static func html(_ places: [Location]) -> HTML {
      let marks = places.prefix(100).map { place -> HTML in
        """
        <circle cx="\(number(place.longitude))" cy="\(number(-place.latitude))" r="5"/>
        """
      }
      let label =
        places.count == 1
        ? "Map with the place \(number(places[0].latitude)), \(number(places[0].longitude))"
        : "Map with \(places.count) places"
      return """
        <svg class="map" viewBox="-180 -90 360 150" role="img" aria-label="\(label)">\
        <path d="\(land)"/>\(marks)</svg>
        """
    }

    private static func number(_ degrees: Double) -> String { "\((degrees * 100).rounded() / 100)" }
  }
#endif
