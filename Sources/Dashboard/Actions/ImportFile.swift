#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import FieldCodecs
  internal import WireFormat

  /// Imports the records of a file, after a dry run that shows what would happen.
  enum ImportFile {
    static let action = Action(
      name: "import", summary: "Import the records of a file, after a dry run", verb: "import",
      run: run)

    private static func run(_ request: ActionRequest) throws -> ActionResult {
      let open = try request.open()
      let session = request.visitor.session
      let form = try ImportForm(open, request)
      let file = try file(of: request.form, session)
      guard request.form["confirmed"] != nil else {
        return .page(try form.page(of: file, in: session))
      }
      return try DashboardSnapshot.with(open) { snapshot in
        let summary = try form.importing(file, isRehearsal: false)
        guard summary.faults.isEmpty else {
          throw Refused(page: try form.page(of: file, in: session))
        }
        var done = Done(
          message: "Imported \(file.fileName): \(summary.words)",
          command: form.command(file),
          undo: try form.undo(snapshot))
        done.notes = ["The store before is the snapshot \(snapshot.text)"]
        done.notes += summary.notices.compactMap(\.words)
        return .done(done, at: form.back)
      }
    }

    /// The file of the form, or the one that an earlier page has shown.
    private static func file(of form: FormFields, _ session: Session) throws -> FormFile {
      if let number = form["number"].flatMap({ Int($0) }) {
        guard let file = session.takeFile(number) else {
          throw CloudError(.unknownItem, "The file is not here any more: choose it again")
        }
        return file
      }
      guard let file = form.files("file").first else {
        throw CloudError(.invalidArguments, "No file is chosen")
      }
      return file
    }
  }

  /// An import that the user decides about.
  private struct ImportForm {
    let open: OpenPlace
    private let type: RecordType?
    private let policy: SavePolicy
    /// The field with the names of the records; nil to read them from `recordName`.
    private let nameField: FieldName?
    let back: String
    /// The records of the file; those without a name get a new one.
    private let names = NewNames()
    /// An import of more records cannot be undone: their tags would be in memory.
    private static let mostUndone = 50_000

    private final class NewNames {
      var all: [(zone: ZoneID, name: RecordName)] = []
    }

    /// Reads the options. Throws `invalidArguments` for names that are not valid.
    init(_ open: OpenPlace, _ request: ActionRequest) throws(CloudError) {
      self.open = open
      let form = request.form
      type = try form.text("type").map { (text) throws(CloudError) in try RecordType(text.trimmed) }
      policy = form["policy"].flatMap { SavePolicy(rawValue: $0) } ?? .unchanged
      nameField = try form.text("name-field").map { (text) throws(CloudError) in
        try FieldName(text.trimmed)
      }
      back = request.back(or: open.place.address(["records"]))
    }

    private var zone: ZoneID { open.place.zone ?? .defaultZone }

    func command(_ file: FormFile) -> String {
      let operands = (type.map { [$0.text] } ?? []) + [file.operand]
      return open.place.command(
        ["import"], operands,
        options: (nameField.map { ["--name-field", $0.text] } ?? [])
          + (policy == .unchanged ? [] : ["--policy", policy.rawValue]))
    }

    // MARK: Importing

    /// Imports the file, or only sees what would happen.
    func importing(_ file: FormFile, isRehearsal: Bool) throws -> ImportSummary {
      var options = ImportOptions()
      (options.type, options.zone) = (type, zone)
      (options.policy, options.isRehearsal) = (policy, isRehearsal)
      names.all = []
      let schemas = try open.types()
      return try open.database.importing(options) { importer in
        try read(file, schemas) { draft in
          switch draft {
          case .success(let draft): try add(draft, to: importer)
          case .failure(let error):
            try importer.add(
              fault: ImportFault(
                CloudError(.invalidArguments, error.message), at: error.position,
                isSyntax: error.isSyntax))
          }
          return importer.summary.faults.count < 20
        }
      }
    }

    private func add(_ draft: RecordDraft, to importer: RecordImporter) throws {
      let ready: RecordDraft
      do throws(CloudError) { ready = try named(draft) } catch {
        return try importer.add(fault: ImportFault(error, at: draft.position))
      }
      try importer.add(ready)
    }

    /// A draft with the name that its record gets.
    private func named(_ draft: RecordDraft) throws(CloudError) -> RecordDraft {
      if draft.isDeletion { return draft }
      var draft = draft
      if let nameField {
        guard let place = draft.fields.firstIndex(where: { $0.name == nameField }),
          let value = draft.fields.remove(at: place).value
        else {
          throw CloudError(
            .invalidArguments, "no field '\(nameField.text)' to take the record's name from")
        }
        draft.name = value.cellText
      }
      let name =
        draft.name
        ?? open.request.randomness.uuid(
          purpose: ["dashboard", "import", String(names.all.count)])
      draft.name = name
      names.all.append((try draft.zoneID(in: open.place.scope) ?? zone, RecordName(stored: name)))
      return draft
    }

    /// Passes the records of the file to `body` until it returns false.
    private func read(
      _ file: FormFile, _ schemas: [RecordTypeSchema],
      _ body: (Result<RecordDraft, RecordReadingError>) throws -> Bool
    ) throws {
      let format = TextFormat(suffixOf: file.fileName) ?? .jsonl
      let records = RecordFileReader(try file.open(), format)
      var reader = RecordReader(schemas: schemas, defaultType: type)
      while let item = try records.next() {
        let draft: Result<RecordDraft, RecordReadingError>
        do throws(RecordReadingError) { draft = .success(try reader.draft(of: item)) } catch {
          draft = .failure(error)
        }
        guard try body(draft) else { return }
      }
    }

    /// How to undo the import; nil if it has too many records.
    func undo(_ snapshot: SnapshotName) throws -> UndoPlan? {
      guard names.all.count <= Self.mostUndone else { return nil }
      var touched: [UndoPlan.Touched] = []
      var met: Set<String> = []
      for (zone, name) in names.all where met.insert("\(zone.text)/\(name.text)").inserted {
        guard case .record(let record) = try open.database.fetch([name], in: zone)[0] else {
          return nil
        }
        touched.append(UndoPlan.Touched(name: name, zone: zone, tag: record.changeTag))
      }
      return UndoPlan(
        place: open.place, touched: touched, before: .snapshot(snapshot),
        back: back)
    }

    // MARK: The page

    /// The page with the dry run; the session keeps the file.
    func page(of file: FormFile, in session: Session) throws -> HTML {
      var frame = try Frame("Import", open, rest: ["records"])
      frame.command = command(file)
      var summary = ImportSummary()
      var fault: CloudError?
      do throws(CloudError) { summary = try rehearsal(file) } catch { fault = error }
      let isGood = fault == nil && summary.faults.isEmpty
      let number = session.keep(file)
      let faults = summary.faults.map { fault -> HTML in
        """
        <li><code>\(file.fileName):\(fault.position.text)</code> \(fault.error.message)</li>
        """
      }
      let go: HTML = """
        <button class="primary" name="confirmed" value="1" data-testid="confirm">Import</button>
        """
      let outcome = isGood ? "\(summary.words) (dry run)" : "nothing was imported"
      let cancel = open.place.address(["records"])
      return frame.page(
        """
        <div class="title"><h1>Import \(file.fileName)</h1>\
        <p data-testid="dry-run">\(outcome)</p></div>
        \(fault.map { PageFault($0).html })
        \(if: !faults.isEmpty, "<ul class=\"list faults\" data-testid=\"faults\">\(faults)</ul>")
        <form method="post" class="edit" \
        action="\(open.place.address(["do", ImportFile.action.name]))">\(open.visitor.formToken)
        \(HTML.hidden("number", String(number)))\(HTML.hidden("back", back))
        \(options)
        <div class="actions">\(if: isGood, go)
        <button data-testid="again">Try again</button>\
        <a class="button" href="\(cancel)">Cancel</a></div></form>
        """)
    }

    private func rehearsal(_ file: FormFile) throws(CloudError) -> ImportSummary {
      do { return try importing(file, isRehearsal: true) } catch let error as CloudError {
        throw error
      } catch { throw CloudError(.internalError, "\(error)") }
    }

    private var options: HTML {
      ImportPage.options(type?.text ?? "", nameField?.text ?? "", policy)
    }
  }

  extension RecordImporter {
    /// Adds a record that could not be read.
    fileprivate func add(fault: ImportFault) throws {
      try add(.fault(fault), of: ImportBatch()) { _, _ in RecordDraft() }
    }
  }

  extension ImportSummary {
    /// What the import did, in words.
    fileprivate var words: String {
      var text =
        "\(created.grouped) created, \(changed.grouped) changed, "
        + "\(unchanged.grouped) unchanged"
      if createdZones > 0 { text += ", zones created: \(createdZones)" }
      if skipped > 0 { text += ", skipped as repeated: \(skipped)" }
      if gone > 0 { text += ", deleted before: \(gone)" }
      if shares > 0 { text += ", shares skipped: \(shares)" }
      return text
    }
  }
#endif
