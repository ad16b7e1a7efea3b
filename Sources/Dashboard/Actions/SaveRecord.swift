#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// Saves a new record, or a version of a record.
  enum SaveRecord {
    static let action = Action(
      name: "record-save", summary: "Save a record; in development, new types and fields, too",
      verb: "record save", run: run)

    private static func run(_ request: ActionRequest) throws -> ActionResult {
      let open = try request.open()
      var form = try RecordForm(open, sent: request.form)
      defer { form.reader.discardUnused() }
      guard let draft = try form.read() else { return .page(try form.html(), status: 400) }
      do {
        guard let before = try current(draft, open) else {
          return done(try open.database.save(draft.save, in: draft.zone), draft, .nothing, open)
        }
        guard draft.losesAssets(of: before) else {
          let result = try open.database.save(draft.save, in: draft.zone)
          return done(result, draft, .records([before]), open)
        }
        // The snapshot keeps the assets that the new version does not have any more.
        return try DashboardSnapshot.with(open) { snapshot in
          let result = try open.database.save(draft.save, in: draft.zone)
          return done(result, draft, .snapshot(snapshot), open)
        }
      } catch let error as CloudError {
        form.fault = error
        return .page(try form.html(), status: form.isConflict ? 409 : 400)
      }
    }

    /// The stored version, to put it back; nil for a new record.
    private static func current(_ draft: RecordForm.Draft, _ open: OpenPlace) throws -> Record? {
      guard draft.save.tag != nil, let name = draft.save.name,
        case .record(let record) = try open.database.fetch([name], in: draft.zone)[0]
      else { return nil }
      return record
    }

    private static func done(
      _ result: SaveResult, _ draft: RecordForm.Draft, _ before: UndoPlan.Before,
      _ open: OpenPlace
    ) -> ActionResult {
      let record = result.record
      var place = open.place
      place.zone = record.zone
      let verb = draft.save.tag == nil ? "Created" : "Saved"
      let done = Done(
        message: "\(verb) \(record.type.text) \(record.name.text)",
        notes: result.notices.compactMap(\.words),
        command: command(draft, record, place, open),
        undo: UndoPlan(
          place: place,
          touched: [
            UndoPlan.Touched(name: record.name, zone: record.zone, tag: record.changeTag)
          ], before: before,
          back: place.address(
            draft.save.tag == nil
              ? ["records", record.type.text] : ["record", record.name.text])))
      return .done(done, at: place.address(["record", record.name.text]))
    }

    private static func command(
      _ draft: RecordForm.Draft, _ record: Record, _ place: Place, _ open: OpenPlace
    ) -> String? {
      guard !draft.save.removesParent else {
        // No option removes a parent alone.
        var batch = RecordBatch(open, policy: .unchanged)
        try? batch.add(draft.save, in: record.zone)
        batch.discardUnused()
        return batch.command
      }
      guard let words = draft.words,
        words.reduce(0, { $0 + $1.utf8.count }) <= RecordBatch.mostBytes
      else {
        return nil
      }
      var options = ["--name=\(record.name.text)"]
      if let tag = draft.save.tag { options.append("--tag=\(tag.text)") }
      if let parent = draft.save.parent { options.append("--parent=\(parent.text)") }
      return place.command(
        ["record", "save"], [record.type.text] + words, options: options)
    }
  }

  extension Notice {
    /// The notice as a page shows it; nil for those that need no attention.
    var words: String? {
      func similar(_ name: String?) -> String {
        name.map { "; '\($0)' has a similar name" } ?? ""
      }
      switch self {
      case .newType(let type, let near):
        return "Added the record type \(type.text)\(similar(near?.text))"
      case .newField(let field, let type, let near):
        return "Added the field \(type.text).\(field.text)\(similar(near?.text))"
      case .newAccount(let account, _, let near):
        guard let near else { return nil }
        return "The account \(account.name) is new\(similar(near.name))"
      case .unknownInvitee(let account, _): return "No account is named \(account.name)"
      case .largeAsset(let asset):
        return "CloudKit refuses assets of more than 50 MB; this has \(asset.size) bytes"
      }
    }
  }
#endif
