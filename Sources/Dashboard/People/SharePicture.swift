#if Server
  internal import CloudModel

  /// A picture of who takes part in which share: people on the left, shares on the right. A line is
  /// broken until the person has accepted. The table beside it has the same contents as text.
  struct SharePicture {
    private let shares: [SeenShare]
    private let people: [Account]
    private static let (row, box, width) = (40, 180, 640)
    /// More would be too small to read.
    private static let most = 25

    init(_ shares: [SeenShare], _ accounts: [Account], at place: Place) {
      self.shares = shares
      people = accounts.filter { account in shares.contains { $0.right(of: account) != nil } }
    }

    /// The picture; nil if there is nothing to see, or too much.
    var html: HTML? {
      guard !shares.isEmpty, shares.count <= Self.most, people.count <= Self.most else {
        return nil
      }
      let height = max(shares.count, people.count) * Self.row
      return """
        <div class="tablebox" tabindex="0" role="region" aria-label="Picture of the shares">\
        <svg class="picture small" viewBox="-2 -2 \(String(Self.width + 4)) \(String(height + 4))" \
        role="img" aria-label="People and the shares that they take part in">\
        \(shares.indices.flatMap(lines))\
        \(people.indices.map { box(0, $0, people[$0].name) })\
        \(shares.indices.map { box(Self.width - Self.box, $0, shares[$0].title) })</svg></div>
        """
    }

    private func lines(_ place: Int) -> [HTML] {
      people.indices.compactMap { person in
        guard let right = shares[place].right(of: people[person])?.participant else { return nil }
        let (from, to) = (middle(person), middle(place))
        let half = String(Self.width / 2)
        let kind: HTML =
          switch (right.status, right.role) {
          case (_, .owner): "owner"
          case (.accepted, _): right.permission == .readWrite ? "write" : "read"
          default: "waiting"
          }
        return """
          <path class="\(kind)" d="M\(String(Self.box)) \(from)C\(half) \(from) \(half) \(to) \
          \(String(Self.width - Self.box)) \(to)"/>
          """
      }
    }

    private func middle(_ place: Int) -> String { String(place * Self.row + Self.row / 2) }

    private func box(_ x: Int, _ place: Int, _ text: String) -> HTML {
      let top = place * Self.row + 4
      let shown = text.count > 22 ? "\(text.prefix(21))…" : text
      return """
        <rect x="\(String(x))" y="\(String(top))" width="\(String(Self.box))" \
        height="\(String(Self.row - 8))" rx="6"/>\
        <text x="\(String(x + Self.box / 2))" y="\(String(top + 21))">\(shown)</text>
        """
    }
  }
#endif
