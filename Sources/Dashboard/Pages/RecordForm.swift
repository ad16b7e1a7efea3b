#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import FieldCodecs
  internal import WireFormat

  /// The form for a new record, for a version of a record, and for a conflict between two versions.
  ///
  /// The form also sends the values that it began with: only fields that the user changed are
  /// saved, and a conflict shows who changed what.
  struct RecordForm {
    let open: OpenPlace
    /// The type; nil until the user names one.
    private var type: RecordType?
    private var typeText = ""
    private var name: RecordName?
    private var nameText = ""
    private var zone: ZoneID
    /// The version that the form began with; nil for a new record.
    private var tag: ChangeTag?
    private var parentText = ""
    private var parentBefore = ""
    /// The values that the form began with.
    private var before = RecordFields()
    private var inputs: [FieldName: FieldInput] = [:]
    private var problems: [String: String] = [:]
    private var newFields: [NewField] = []
    /// Contents that were uploaded with the form.
    var reader: FieldReader
    /// Why the record could not be saved.
    var fault: CloudError?

    /// A field that the schema does not have yet.
    private struct NewField {
      var name = ""
      var type = FieldType(.string)
      var text = ""
      var files: [FormFile] = []
    }

    /// What the form asks to save.
    struct Draft {
      var save: SaveRequest
      let zone: ZoneID
      /// The assignments as words of `ckdb record save`; nil if words cannot have their assets.
      var words: [String]?

      /// Whether the stored version has assets in fields that are set.
      func losesAssets(of stored: Record) -> Bool {
        save.assignments.contains { stored.fields[$0.name]?.assets.isEmpty == false }
      }
    }

    // MARK: Beginning

    /// A form for a new record of a type, or of a type that the user names.
    init(_ open: OpenPlace, newOf type: RecordType?) {
      (self.open, self.type) = (open, type)
      zone = open.place.zone ?? .defaultZone
      reader = FieldReader(open.database.environment)
      newFields = type == nil ? [NewField(), NewField(), NewField()] : [NewField()]
    }

    /// A form for a version of a record.
    init(_ open: OpenPlace, editing record: Record) {
      self.init(open, newOf: record.type)
      (name, zone, tag) = (record.name, record.zone, record.changeTag)
      before = record.fields
      parentText = record.parent?.text ?? ""
      parentBefore = parentText
    }

    /// A form as a browser sends it. Throws `invalidArguments` if it is not one of these.
    init(_ open: OpenPlace, sent form: FormFields) throws {
      self.init(open, newOf: nil)
      typeText = (form["type"] ?? "").trimmed
      type = try? RecordType(typeText)
      tag = form.text("tag").map { ChangeTag(given: $0) }
      nameText = tag == nil ? (form["name"] ?? "").trimmed : form["name"] ?? ""
      if tag != nil { name = try RecordName(nameText) }
      if let text = form.text("in") { zone = try ZoneID(text) }
      parentText = form["parent"] ?? ""
      parentBefore = form["parent-before"] ?? ""
      for field in fields {
        inputs[field.name] = FieldInput(field.name.text, in: form)
        guard let text = form.text("was.\(field.name.text)") else { continue }
        before[field.name] = try? PlainJSONReader.value(JSONParser.parse(text), as: field.type)
      }
      readNewFields(form)
      let known = Set(fields.map(\.name.text))
      let gone = ["f.", "json.", "keep."].flatMap { form.names(after: $0) }
        .filter { !known.contains($0) }
      if tag != nil, let name = gone.first {
        fault = CloudError(
          .invalidArguments, "The type has no field '\(name)' any more: nothing was saved")
      }
    }

    private mutating func readNewFields(_ form: FormFields) {
      newFields = form.names(after: "new.").map { place in
        NewField(
          name: (form["new.\(place)"] ?? "").trimmed,
          type: form["newtype.\(place)"].flatMap { FieldType(schemaName: $0) } ?? .init(.string),
          text: (form["newvalue.\(place)"] ?? "").withPlainLines,
          files: form.files("newfile.\(place)"))
      }
      if newFields.isEmpty { newFields = [NewField()] }
    }

    /// The fields of the type.
    private var fields: [FieldSchema] {
      type.flatMap { try? open.database.environment.schema(of: $0) }?.fields ?? []
    }

    private func input(_ field: FieldSchema) -> FieldInput {
      inputs[field.name] ?? FieldInput(before[field.name], of: field.type)
    }

    // MARK: Reading

    /// The save that the form asks for; nil if a control has no value of its type, which the page
    /// then shows.
    mutating func read() throws -> Draft? {
      guard let type else {
        problems["type"] =
          typeText.isEmpty ? "expected the name of a record type" : "not a name of a record type"
        return nil
      }
      var save = SaveRequest(name: nil, type: type, assignments: [], tag: tag)
      var words: [String?] = []
      readNames(&save)
      let known = fields
      for field in known { try read(field, &save, &words) }
      for place in newFields.indices { try read(newFields[place], place, known, &save, &words) }
      guard problems.isEmpty, fault == nil else { return nil }
      return Draft(
        save: save, zone: zone, words: words.contains(nil) ? nil : words.compactMap(\.self))
    }

    private mutating func readNames(_ save: inout SaveRequest) {
      do throws(CloudError) {
        if !nameText.isEmpty { save.name = try RecordName(nameText) }
      } catch { problems["name"] = error.message }
      do throws(CloudError) {
        if !parentText.isEmpty { save.parent = try RecordName(parentText) }
        save.removesParent = parentText.isEmpty && !parentBefore.isEmpty
        if utf8Equal(parentText, parentBefore) { save.parent = nil }
      } catch { problems["parent"] = error.message }
    }

    private mutating func read(
      _ field: FieldSchema, _ save: inout SaveRequest, _ words: inout [String?]
    ) throws {
      let (input, old) = (input(field), before[field.name])
      do {
        let value = try reader.value(input, of: field.type, over: old)
        guard value != old, value != old?.asForms else { return }
        let assignment = FieldAssignment(
          field.name, value, type: field.type, staged: reader.staged(of: value))
        save.assignments.append(assignment)
        words.append(assignment.word(known: field.type, files: input.files))
      } catch let fault as FieldFault { problems[field.name.text] = fault.message }
    }

    private mutating func read(
      _ new: NewField, _ place: Int, _ known: [FieldSchema], _ save: inout SaveRequest,
      _ words: inout [String?]
    ) throws {
      if new.name.isEmpty, new.text.isEmpty { return }
      do {
        let input = FieldInput(new.text, new.files, of: new.type)
        let name = try FieldName(new.name)
        guard !(known.map(\.name) + save.assignments.map(\.name)).contains(name) else {
          throw FieldFault("the type has the field '\(name.text)' already")
        }
        guard let value = try reader.value(input, of: new.type, over: nil) else {
          throw FieldFault("a new field needs a value")
        }
        let assignment = FieldAssignment(
          name, value, type: new.type, staged: reader.staged(of: value))
        save.assignments.append(assignment)
        words.append(assignment.word(known: nil, files: new.files))
      } catch let fault as FieldFault {
        problems["new.\(place)"] = fault.message
      } catch let error as CloudError where error.storage == nil {
        problems["new.\(place)"] = error.message
      }
    }

    // MARK: The page

    /// The page with the form. After a conflict it holds both versions merged, and the next save
    /// goes over the server's.
    func html() throws -> HTML {
      var form = self
      let notes = conflict.map { form.merge($0.server) } ?? [:]
      return try form.page(notes, isConflict: isConflict)
    }

    /// The two versions of a record that was changed since the form was opened; nil for other
    /// faults. A new record with the name of another one is not a version of it.
    private var conflict: CloudError.Conflict? {
      tag != nil && fault?.code == .serverRecordChanged ? fault?.conflict : nil
    }

    /// Whether the record was changed since the form was opened.
    var isConflict: Bool { conflict != nil }

    /// Takes over the server's changes; returns notes for the fields that both sides changed.
    private mutating func merge(_ server: Record) -> [FieldName: HTML] {
      var notes: [FieldName: HTML] = [:]
      for field in fields {
        let (base, theirs) = (before[field.name], server.fields[field.name])
        let mine = (try? reader.value(input(field), of: field.type, over: base)) ?? nil
        let isMine = mine != base && mine != base?.asForms
        guard theirs != base else { continue }
        if !isMine {
          inputs[field.name] = FieldInput(theirs, of: field.type)
          notes[field.name] = note("changed on the server", [("before", base)], field)
        } else if mine != theirs {
          notes[field.name] = note(
            "changed on both sides; the form has yours", [("before", base), ("server", theirs)],
            field, isWarning: true)
        }
      }
      if utf8Equal(parentText, parentBefore) { parentText = server.parent?.text ?? "" }
      (before, tag, parentBefore) = (server.fields, server.changeTag, server.parent?.text ?? "")
      return notes
    }

    private func note(
      _ text: String, _ sides: [(String, FieldValue?)], _ field: FieldSchema,
      isWarning: Bool = false
    ) -> HTML {
      let values = sides.map { label, value -> HTML in
        let isSecret = field.type.isEncrypted && value != nil
        let text: ValueText =
          isSecret ? .hidden : ValueText(whole: value, of: field.type, at: open.place)
        return "<span class=\"side\"><b>\(label)</b> \(text.html)</span>"
      }
      return """
        <p class="merge\(if: isWarning, " warn")" data-testid="merge">\(text) \(values)</p>
        """
    }

    private func page(_ notes: [FieldName: HTML], isConflict: Bool) throws -> HTML {
      let title =
        tag == nil
        ? "New \(type?.text ?? "record")" : nameText.isEmpty ? name?.text ?? "" : nameText
      let rest = tag == nil ? ["records", type?.text].compactMap(\.self) : ["record", title]
      var frame = try Frame(title, open, rest: rest)
      frame.keys = [("Esc", "leave the field")]
      let cancel = open.place.address(rest)
      return frame.page(
        """
        <div class="title"><h1>\(title)</h1>\
        \(type.map { "<p>\($0.text) in \(zone.text)</p>" as HTML })</div>
        \(if: isConflict, conflictText)
        \(isConflict ? nil : fault.map { PageFault($0).html })
        <form method="post" enctype="multipart/form-data" class="edit" data-testid="edit" \
        action="\(open.place.address(["do", SaveRecord.action.name]))">\(open.visitor.formToken)
        \(hidden)
        <dl>\(identity)\(fields.map { row($0, notes[$0.name]) })\(parentRow)\(newRows)</dl>
        <div class="actions"><button class="primary" data-testid="save">Save</button>
        <a class="button" href="\(cancel)">Cancel</a></div>
        </form>
        """)
    }

    private var conflictText: HTML {
      """
      <div class="finding" role="alert" data-testid="conflict"><span><b>serverRecordChanged</b> \
      The record was changed since you opened it. The form has the changes of both sides: check \
      it, and save it over the server's version.</span></div>
      """
    }

    private var hidden: HTML {
      let base = fields.compactMap { field in
        before[field.name].map { HTML.hidden("was.\(field.name.text)", $0.plainJSON.text) }
      }
      let isZoneFixed = tag != nil || open.zones.count < 2
      return """
        \(tag.map { HTML.hidden("tag", $0.text) })\
        \(if: tag != nil, HTML.hidden("name", name?.text ?? nameText))\
        \(type.map { HTML.hidden("type", $0.text) })\
        \(if: isZoneFixed, HTML.hidden("in", zone.text))\
        \(HTML.hidden("parent-before", parentBefore))\(base)
        """
    }

    private func problem(_ key: String) -> HTML? {
      problems[key].map { "<p class=\"problem\">\($0)</p>" }
    }

    /// The type and the name of a new record.
    private var identity: HTML? {
      if tag != nil { return nil }
      let zones = open.zones.map { zone -> HTML in
        """
        <option value="\(zone.id.text)"\(if: zone.id == self.zone, " selected")>\(zone.id.text)\
        </option>
        """
      }
      let typeRow: HTML = """
        <div><dt><label for="type">Record type</label></dt><dd><input id="type" name="type" \
        value="\(typeText)" required spellcheck="false" autofocus>\(problem("type"))</dd></div>
        """
      let zoneRow: HTML = """
        <div><dt><label for="in">Zone</label></dt><dd><select id="in" name="in">\(zones)</select>\
        </dd></div>
        """
      return """
        \(if: type == nil, typeRow)
        <div><dt><label for="name">recordName</label></dt><dd><input id="name" name="name" \
        value="\(nameText)" class="mono" placeholder="a new UUID" spellcheck="false">\
        \(problem("name"))</dd></div>
        \(if: open.zones.count > 1, zoneRow)
        """
    }

    private func row(_ field: FieldSchema, _ note: HTML?) -> HTML {
      let name = field.name.text
      let editor = FieldEditor(
        name: name, type: field.type, input: input(field), problem: problems[name])
      let isSecret = field.type.isEncrypted && before[field.name] != nil && problems[name] == nil
      let controls: HTML =
        isSecret
        ? "<details><summary>••••••</summary>\(editor.html)</details>" : editor.html
      return """
        <div data-testid="field"><dt><label for="f.\(name)">\(name)</label> \
        <span class="type">\(field.type.schemaName)</span></dt><dd>\(controls)\(note)</dd></div>
        """
    }

    private var parentRow: HTML? {
      if open.place.scope == .public, parentBefore.isEmpty { return nil }
      return """
        <div><dt><label for="parent">Parent</label></dt><dd><input id="parent" name="parent" \
        value="\(parentText)" class="mono" data-names="" spellcheck="false" \
        placeholder="recordName">\(problem("parent"))</dd></div>
        """
    }

    /// Rows for fields that the schema does not have yet; none in production.
    private var newRows: [HTML] {
      if open.place.environment == .production { return [] }
      return newFields.enumerated().map { place, field in
        let number = String(place)
        let types = Self.types.map { type -> HTML in
          let name = type.assignmentName
          return """
            <option value="\(name)"\(if: type == field.type, " selected")>\
            \(type.schemaName)</option>
            """
        }
        return """
          <div class="new" data-testid="new-field"><dt><input name="new.\(number)" \
          value="\(field.name)" aria-label="Name of a new field" placeholder="new field" \
          spellcheck="false"></dt><dd><span class="parts">\
          <select name="newtype.\(number)" aria-label="Type of the new field">\(types)</select>\
          <textarea name="newvalue.\(number)" rows="1" aria-label="Value of the new field" \
          spellcheck="false">
          \(field.text)</textarea><input type="file" name="newfile.\(number)" \
          aria-label="File of the new field" class="asset-only"></span>\
          \(problem("new.\(number)"))</dd></div>
          """
      }
    }

    /// The types that a new field can have.
    private static let types: [FieldType] = {
      let bases = FieldType.Base.allCases.filter { $0 != .number }
      return bases.map { FieldType($0) } + bases.map { FieldType($0, isList: true) }
        + bases.filter { FieldType.canEncrypt($0) }.map { FieldType($0, isEncrypted: true) }
    }()
  }

  extension FieldValue {
    /// The value as it comes back from a form that showed it: browsers change the line ends of
    /// texts, and dates there have whole milliseconds.
    var asForms: FieldValue {
      switch self {
      case .string(let text): .string(text.withPlainLines)
      case .timestamp(let time): .timestamp(Timestamp(milliseconds: time.milliseconds))
      case .int64, .double, .bytes, .location, .reference, .asset, .list: self
      }
    }
  }
#endif
