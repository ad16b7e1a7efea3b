#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import SchemaLanguage
  internal import WireFormat

  /// Checks that production has everything that files and the development schema use. Changes
  /// nothing.
  enum CheckFiles {
    static let action = Action(
      name: "schema-check", summary: "Check files against the production schema",
      verb: "schema check", run: run)

    private static func run(_ request: ActionRequest) throws -> ActionResult {
      let open = try request.openToLook()
      let target = try open.store.environment(
        open.place.container, .production, for: open.request
      ).fullSchema()
      var checker = SchemaChecker(target, named: Environment.production.rawValue)
      let files = request.form.files("files")
      guard !files.isEmpty else { throw CloudError(.invalidArguments, "No file is chosen") }
      for file in files { try check(file, &checker, target) }
      let development = try open.store.environment(
        open.place.container, .development, for: open.request
      ).fullSchema()
      // Last, so that what a file also uses is reported with its line.
      checker.check(development, in: Environment.development.rawValue)
      return .page(try page(open, files, checker.faults()))
    }

    private static func check(
      _ file: FormFile, _ checker: inout SchemaChecker, _ target: Schema
    ) throws {
      let name = file.fileName
      guard name.hasSuffix(".ckdb") else { return try check(records: file, &checker, target) }
      let text = String(decoding: try FileSystem.contents(of: file.open()), as: UTF8.self)
      do throws(SchemaError) { checker.check(try SchemaParser.parse(text), in: name) } catch {
        checker.note(unreadable: error.message, in: name, at: error.position)
      }
    }

    private static func check(
      records file: FormFile, _ checker: inout SchemaChecker, _ target: Schema
    ) throws {
      let type = try? RecordType(String(file.fileName.prefix { $0 != "." }))
      let records = RecordFileReader(
        try file.open(), TextFormat(suffixOf: file.fileName) ?? .jsonl)
      var reader = RecordReader(schemas: target.types, defaultType: type)
      while let item = try records.next() {
        do throws(RecordReadingError) {
          checker.check(
            try reader.draft(of: item), defaultType: type?.text, in: file.fileName)
        } catch {
          checker.note(unreadable: error.message, in: file.fileName, at: error.position)
        }
      }
    }

    private static func page(
      _ open: OpenPlace, _ files: [FormFile], _ faults: [SchemaFault]
    ) throws -> HTML {
      var frame = try Frame("Check", open, rest: ["schema"])
      frame.command = open.place.schemaCommand(["schema", "check"] + files.map(\.operand))
      let rows = faults.map { fault -> HTML in
        let place = fault.position.map { "\(fault.source):\($0.text)" } ?? fault.source
        return """
          <tr data-testid="fault"><td class="mono">\(place)</td><td>\(fault.message)\
          \(fault.repetition)</td><td class="mono">\(fault.missing ?? "")</td></tr>
          """
      }
      let table: HTML = """
        <div class="tablebox wraps" tabindex="0" role="region" aria-label="Findings"><table><thead>\
        <tr><th scope="col">where</th><th scope="col">what</th>\
        <th scope="col">production lacks</th></tr></thead><tbody>\(rows)</tbody></table></div>
        """
      let names = files.map(\.fileName).joined(separator: ", ")
      return frame.page(
        """
        <div class="title"><h1>Check</h1><p>\(names)</p></div>
        \(faults.isEmpty ? Frame.notice("Production has everything.") : table)
        <div class="actions"><a class="button" href="\(open.place.address(["schema"]))">Schema</a>\
        </div>
        """)
    }
  }
#endif
