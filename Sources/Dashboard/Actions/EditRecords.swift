#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// Sets fields of several records of a type to the same values.
  enum EditRecords {
    static let action = Action(
      name: "records-edit", summary: "Set fields of several records", verb: "record save", run: run)

    private static func run(_ request: ActionRequest) throws -> ActionResult {
      let open = try request.open()
      let selection = try Selection(request.form)
      let records = try selection.records(in: open.database)
      guard let type = records.first?.type else {
        throw CloudError(.unknownItem, "The records do not exist any more")
      }
      var form = BulkForm(
        open, selection, type, request.form,
        back: request.back(or: open.place.address(["records", type.text])))
      guard request.form["confirmed"] != nil else { return .page(try form.html()) }
      var reader = FieldReader(open.database.environment)
      defer { reader.discardUnused() }
      guard let assignments = try form.read(&reader) else {
        return .page(try form.html(), status: 400)
      }
      return try DashboardSnapshot.with(open) { snapshot in
        try save(records, assignments, form, snapshot)
      }
    }

    private static func save(
      _ records: [Record], _ assignments: [FieldAssignment], _ form: BulkForm,
      _ snapshot: SnapshotName
    ) throws -> ActionResult {
      let open = form.open
      var batch = RecordBatch(open, policy: .unchanged)
      defer { batch.discardUnused() }
      for record in records {
        try batch.add(
          SaveRequest(
            name: record.name, type: record.type, assignments: assignments, tag: record.changeTag),
          in: record.zone)
      }
      let result = try batch.save()
      let touched = result.saved.map {
        UndoPlan.Touched(name: $0.record.name, zone: $0.record.zone, tag: $0.record.changeTag)
      }
      let failures = result.failures.prefix(5).map { "\($0.recordName ?? ""): \($0.message)" }
      guard !touched.isEmpty else {
        var form = form
        form.faults = Array(failures)
        throw Refused(page: try form.html())
      }
      let fields = assignments.map(\.name.text).joined(separator: ", ")
      var done = Done(
        message: "Set \(fields) of \(touched.count.counted("record"))", command: batch.command,
        undo: UndoPlan(
          place: open.place, touched: touched, before: .snapshot(snapshot), back: form.back))
      done.notes = ["The store before is the snapshot \(snapshot.text)"] + failures
      return .done(done, at: form.back)
    }
  }

  /// The form that sets fields of several records.
  private struct BulkForm {
    let open: OpenPlace
    let selection: Selection
    let type: RecordType
    let back: String
    private let form: FormFields
    private let fields: [FieldSchema]
    private var problems: [String: String] = [:]
    /// Why nothing could be saved.
    var faults: [String] = []

    init(
      _ open: OpenPlace, _ selection: Selection, _ type: RecordType, _ form: FormFields,
      back: String
    ) {
      (self.open, self.selection, self.type, self.back) = (open, selection, type, back)
      self.form = form
      fields = (try? open.database.environment.schema(of: type))?.fields ?? []
    }

    private func isSet(_ field: FieldSchema) -> Bool { form["set.\(field.name.text)"] != nil }

    /// The values of the fields to set; nil if a control has no value of its type, or none is set.
    mutating func read(_ reader: inout FieldReader) throws -> [FieldAssignment]? {
      var assignments: [FieldAssignment] = []
      for field in fields where isSet(field) {
        do {
          let value = try reader.value(
            FieldInput(field.name.text, in: form), of: field.type, over: nil)
          assignments.append(
            FieldAssignment(
              field.name, value, type: field.type, staged: reader.staged(of: value)))
        } catch let fault as FieldFault { problems[field.name.text] = fault.message }
      }
      if assignments.isEmpty, problems.isEmpty { faults = ["No field is marked"] }
      return problems.isEmpty && !assignments.isEmpty ? assignments : nil
    }

    func html() throws -> HTML {
      let title = "Edit \(selection.count.counted("record"))"
      let frame = try Frame(title, open, rest: ["records", type.text])
      return frame.page(
        """
        <div class="title"><h1>\(title)</h1><p>\(type.text)</p></div>
        \(faults.map { PageFault(CloudError(.invalidArguments, $0)).html })
        <p class="quiet">Mark the fields to set. A marked field without a value becomes none.</p>
        <form method="post" enctype="multipart/form-data" class="edit" \
        action="\(open.place.address(["do", EditRecords.action.name]))">\(open.visitor.formToken)\
        \(selection.hidden)\(HTML.hidden("back", back))\
        \(HTML.hidden("confirmed", "1"))
        <dl>\(fields.map(row))</dl>
        <div class="actions"><button class="primary" data-testid="save">\(title)</button>
        <a class="button" href="\(back)">Cancel</a></div></form>
        """)
    }

    private func row(_ field: FieldSchema) -> HTML {
      let name = field.name.text
      let editor = FieldEditor(
        name: name, type: field.type, input: FieldInput(name, in: form), problem: problems[name])
      return """
        <div data-testid="field"><dt><label><input type="checkbox" name="set.\(name)" value="1"\
        \(if: isSet(field), " checked")> \(name)</label> \
        <span class="type">\(field.type.schemaName)</span></dt><dd>\(editor.html)</dd></div>
        """
    }
  }
#endif
