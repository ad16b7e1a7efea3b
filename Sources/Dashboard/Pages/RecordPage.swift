#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import FieldCodecs

  /// A record with all its fields.
  enum RecordPage {
    /// The page of a record. Throws `CloudError` if the account cannot read it.
    static func html(_ open: OpenPlace, _ name: RecordName) throws -> HTML {
      let zone = try open.place.zone ?? open.database.zones(holding: name).first ?? .defaultZone
      let record = try open.database.fetch([name], in: zone)[0].get()
      var place = open.place
      place.zone = record.zone
      var frame = try Frame(name.text, open, rest: ["record", name.text])
      frame.command = place.command(["record", "fetch", name.text])
      let schema = try open.database.environment.schema(of: record.type)
      let fields = (schema?.fields ?? []).map { field($0, record.fields[$0.name], at: place) }
      let table = open.place.address(["records", record.type.text])
      return frame.page(
        """
        <div class="title"><h1>\(name.text)</h1>\
        <p><a href="\(table)">\(record.type.text)</a></p></div>
        <div class="record"><dl>\(fields)</dl>
        <aside class="card" aria-label="Version"><h2>Version</h2>\
        <dl class="facts">\(facts(record))</dl>
        </aside></div>
        """)
    }

    private static func field(
      _ field: FieldSchema, _ value: FieldValue?, at place: Place
    ) -> HTML {
      let text = ValueText(whole: value, of: field.type, at: place)
      let isLong = text.text.contains { $0.isNewline }
      return """
        <div data-testid="field"><dt>\(field.name.text) \
        <span class="type">\(field.type.schemaName)</span></dt>\
        <dd>\(isLong ? "<pre>\(text.text)</pre>" : text.html)</dd></div>
        """
    }

    private static func facts(_ record: Record) -> [HTML] {
      func stamp(_ stamp: Record.Stamp?) -> String? {
        stamp.map { "\($0.at.shortText) UTC by \($0.by.text) on \($0.device.name)" }
      }
      let known: [(String, String?)] = [
        ("Zone", record.zone.text), ("Change tag", record.changeTag?.text),
        ("Created", stamp(record.created)), ("Modified", stamp(record.modified)),
        ("Parent", record.parent?.text), ("Share", record.share?.text),
      ]
      return known.compactMap { name, value in
        value.map { "<div><dt>\(name)</dt><dd>\($0)</dd></div>" }
      }
    }
  }
#endif
