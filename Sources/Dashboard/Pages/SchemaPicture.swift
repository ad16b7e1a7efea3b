#if Server
  internal import CloudModel

  /// A picture of the record types and of the fields that can refer from one to another.
  ///
  /// The schema does not say to which type a reference leads: the picture takes the type that has
  /// the field's name, with or without a plural, and shows the others as references to any type.
  struct SchemaPicture {
    private let types: [RecordTypeSchema]
    private let place: Place
    private static let (width, height, gap) = (180, 34, 46)
    private static let columns = 4
    /// More types would be too small to read.
    private static let most = 60

    init(_ types: [RecordTypeSchema], at place: Place) { (self.types, self.place) = (types, place) }

    /// The picture; nil if there is nothing to see.
    var html: HTML? {
      guard types.count > 1, types.count <= Self.most else { return nil }
      let lines = types.indices.flatMap(links)
      guard !lines.isEmpty else { return nil }
      let columns = min(types.count, Self.columns)
      let rows = (types.count + columns - 1) / columns
      let size = (
        columns * (Self.width + Self.gap) - Self.gap + 4,
        rows * (Self.height + Self.gap) - Self.gap + 4
      )
      let words = lines.map {
        "\($0.from.name.text).\($0.field) → \($0.to?.name.text ?? "any type")"
      }
      return """
        <section><h2>References</h2>
        <div class="tablebox" tabindex="0" role="region" aria-label="Picture of the references">\
        <svg class="picture" viewBox="-2 -2 \(String(size.0)) \(String(size.1))" role="img" \
        aria-label="Record types and their references">\(lines.compactMap(drawn))\
        \(types.indices.map(box))</svg></div>
        <ul class="list quiet" data-testid="references">\
        \(words.map { "<li class=\"mono\">\($0)</li>" as HTML })</ul></section>
        """
    }

    private struct Link {
      let from: RecordTypeSchema
      let field: String
      let to: RecordTypeSchema?
      let places: (Int, Int?)
    }

    private func links(of place: Int) -> [Link] {
      let type = types[place]
      return type.fields.filter { $0.type.base == .reference }.map { field in
        let name = field.name.text.lowercased()
        let target = types.firstIndex { other in
          let own = other.name.text.lowercased()
          return name == own || name == own + "s" || name == own + "ref" || name == own + "id"
        }
        return Link(
          from: type, field: field.name.text, to: target.map { types[$0] },
          places: (place, target))
      }
    }

    private func corner(_ place: Int) -> (x: Int, y: Int) {
      let columns = min(types.count, Self.columns)
      return (
        place % columns * (Self.width + Self.gap), place / columns * (Self.height + Self.gap)
      )
    }

    private func box(_ place: Int) -> HTML {
      let (x, y) = corner(place)
      let (width, height) = (String(Self.width), String(Self.height))
      return """
        <rect x="\(String(x))" y="\(String(y))" width="\(width)" height="\(height)" rx="6"/>\
        <text x="\(String(x + Self.width / 2))" y="\(String(y + 22))">\
        \(types[place].name.text)</text>
        """
    }

    private func drawn(_ link: Link) -> HTML? {
      guard let target = link.places.1 else { return nil }
      let (from, to) = (corner(link.places.0), corner(target))
      let half = (Self.width / 2, Self.height / 2)
      let start = (from.x + half.0, from.y + half.1)
      let end = (to.x + half.0, to.y + half.1)
      guard target != link.places.0 else {
        let right = from.x + Self.width
        let path =
          "M\(right - 30) \(from.y)C\(right - 20) \(from.y - 30) \(right + 30) "
          + "\(from.y - 10) \(right) \(from.y + 10)"
        return "<path d=\"\(path)\"/>"
      }
      let middle = ((start.0 + end.0) / 2, (start.1 + end.1) / 2 + Self.height)
      return """
        <path d="M\(String(start.0)) \(String(start.1))Q\(String(middle.0)) \(String(middle.1)) \
        \(String(end.0)) \(String(end.1))"/>
        """
    }
  }
#endif
