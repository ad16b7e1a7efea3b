#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import FieldCodecs

  /// What a page shows besides the text of a value: the picture of a place, and the contents of
  /// bytes and assets.
  struct FieldExtras {
    private let value: FieldValue?
    private let field: FieldSchema
    private let record: Record
    private let place: Place
    private let environment: CloudEnvironment

    init(
      _ value: FieldValue?, _ field: FieldSchema, _ record: Record, _ place: Place,
      _ environment: CloudEnvironment
    ) {
      (self.value, self.field, self.record) = (value, field, record)
      (self.place, self.environment) = (place, environment)
    }

    var html: HTML? {
      switch value {
      case .location(let location): WorldMap.html([location])
      case .list(let members): list(members)
      case .asset(let asset): contents(asset, 0)
      case .bytes(let bytes): bytes.isEmpty ? nil : "<pre class=\"type\">\(Self.hex(bytes))</pre>"
      case .reference(let reference): action(reference)
      case .string, .int64, .double, .timestamp, nil: nil
      }
    }

    private func list(_ members: [FieldValue]) -> HTML? {
      let assets = members.flatMap(\.assets).enumerated().map { contents($1, $0) }
      let places = members.compactMap { member -> Location? in
        if case .location(let place) = member { place } else { nil }
      }
      return places.isEmpty ? "\(assets)" : WorldMap.html(places)
    }

    private func action(_ reference: Reference) -> HTML? {
      switch reference.action {
      case .none: nil
      case .deleteSelf: " <span class=\"type\">deleted with it</span>"
      case .validate: " <span class=\"type\">must exist</span>"
      }
    }

    /// The picture of an asset, if it is one, and its download.
    private func contents(_ asset: Asset, _ number: Int) -> HTML {
      func address(_ use: String) -> String {
        let path = ["asset", record.name.text, field.name.text, String(number)]
        return place.address(path, [("use", use)])
      }
      let isPicture = (try? environment.open(asset)).flatMap { PictureType(of: $0) } != nil
      let picture: HTML = """
        <img class="preview" src="\(address("picture"))" alt="Picture of \(field.name.text)" \
        loading="lazy">
        """
      return """
         <a href="\(address("file"))" data-testid="download">download</a> \
        <code class="type">\(String(asset.sha256.prefix(12)))…</code>\(if: isPicture, picture)
        """
    }

    /// The first bytes as hexadecimal digits.
    private static func hex(_ bytes: [UInt8]) -> String {
      let shown = bytes.prefix(64)
      var text = ""
      for (place, byte) in shown.enumerated() {
        if place > 0 { text += place % 16 == 0 ? "\n" : " " }
        text += [byte].hexadecimal
      }
      return bytes.count > 64 ? text + " …" : text
    }
  }
#endif
