#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import WireFormat

  /// Shows records as a fixture, to be copied.
  enum CopyFixture {
    static let action = Action(
      name: "fixture", summary: "Show records as a fixture", verb: "", run: run)

    private static func run(_ request: ActionRequest) throws -> ActionResult {
      let open = try request.openToLook()
      let selection = try Selection(request.form)
      let environment = open.database.environment
      var bytes: [UInt8] = []
      var writer = FixtureWriter { asset in
        ("base64", Base64.encode(try environment.contents(of: asset)))
      }
      writer.begin(container: open.place.container, schema: nil, to: &bytes)
      let scope = open.place.scope
      let account =
        scope == .public || open.place.account == Place.usualAccount
        ? nil : open.place.account
      for (zone, names) in selection.zones {
        writer.append(zone, in: scope, of: account, to: &bytes)
        let all = try withParents(names, zone, open.database)
        let selected = Set(all)
        for case .record(let record) in try open.database.fetch(all, in: zone) {
          let missing = record.fields.entries.flatMap(\.value.targets).filter {
            !selected.contains($0)
          }
          try writer.append(
            record, types: open.typesByField(of: record.type), dangling: missing, to: &bytes)
        }
      }
      try writer.end(FixtureEntries(), &bytes)
      return .page(
        try page(open, selection, String(decoding: bytes, as: UTF8.self), request.back(or: "")))
    }

    /// The names, and those of the records above them, without which a fixture does not load.
    private static func withParents(
      _ names: [RecordName], _ zone: ZoneID, _ database: CloudDatabase
    ) throws -> [RecordName] {
      var (all, place) = (names, 0)
      while place < all.count {
        if case .record(let record)? = try database.fetch([all[place]], in: zone).first,
          let parent = record.parent, !all.contains(parent)
        {
          all.append(parent)
        }
        place += 1
      }
      return all
    }

    private static func page(
      _ open: OpenPlace, _ selection: Selection, _ text: String, _ back: String
    ) throws -> HTML {
      let title = "Fixture of \(selection.count.counted("record"))"
      let frame = try Frame(title, open, rest: ["records"])
      let lines = min(30, text.utf8.count { $0 == 0x0A } + 2)
      return frame.page(
        """
        <div class="title"><h1>\(title)</h1></div>
        <p><label for="fixture">Save this text as a file, and load it with \
        <code>ckdb fixture load FILE</code>.</label></p>
        <textarea id="fixture" class="whole" rows="\(String(lines))" readonly spellcheck="false">
        \(text)</textarea>
        <div class="actions"><button type="button" class="primary with-script-only" \
        data-copy="fixture">Copy</button>\
        \(if: !back.isEmpty, "<a class=\"button\" href=\"\(back)\">Back</a>")</div>
        """)
    }
  }
#endif
