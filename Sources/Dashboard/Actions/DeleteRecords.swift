#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// Deletes records, after a page that shows what would be deleted with them.
  enum DeleteRecords {
    static let action = Action(
      name: "records-delete", summary: "Delete records, and see before what they take along",
      verb: "record delete", run: run)

    private static func run(_ request: ActionRequest) throws -> ActionResult {
      let open = try request.open()
      let selection = try Selection(request.form)
      let back = request.back(or: open.place.address(["records"]))
      let previews = try selection.zones.map { zone, names in
        (zone: zone, preview: try open.database.previewDeletion(of: names, in: zone))
      }
      guard request.form["confirmed"] != nil else {
        return .page(try page(open, selection, previews, back))
      }
      return try DashboardSnapshot.with(open) { snapshot in
        try delete(selection, previews, back, snapshot, open)
      }
    }

    private static func delete(
      _ selection: Selection, _ previews: [(zone: ZoneID, preview: DeletionPreview)],
      _ back: String, _ snapshot: SnapshotName, _ open: OpenPlace
    ) throws -> ActionResult {
      let shares = try shares(of: selection, open.database)
      var request = ModifyRequest(
        selection.zones.flatMap { zone, names in
          names.map { ModifyRequest.Item(.delete($0, tag: nil), in: zone) }
        })
      request.isLimited = false
      let result = try open.database.modify(request)
      let touched = try gone(selection, previews, open.database)
      guard !touched.isEmpty || result.error == nil else {
        throw Refused(page: try page(open, selection, previews, back, result.error))
      }
      var done = Done(
        message: message(touched.count, selection.count),
        command: command(selection, open.place),
        undo: UndoPlan(
          place: open.place, touched: touched.filter { !$0.name.isOfShare },
          before: .snapshot(snapshot), back: back))
      done.notes = ["The store before is the snapshot \(snapshot.text)"]
      for (zone, share) in shares {
        guard case .failure? = try open.database.fetch([share], in: zone).first else { continue }
        done.notes.append("The share \(share.text) has ended; Undo does not put it back")
      }
      done.notes += result.failures.prefix(5).map(\.message)
      return .done(done, at: back)
    }

    /// The shares that cover selected records: deleting the root of one ends it.
    private static func shares(
      of selection: Selection, _ database: CloudDatabase
    ) throws -> [(zone: ZoneID, share: RecordName)] {
      var shares: [(zone: ZoneID, share: RecordName)] = []
      for record in try selection.records(in: database) {
        let share = record.type == .share ? record.name : record.share
        guard let share, !shares.contains(where: { $0.share == share }) else { continue }
        shares.append((record.zone, share))
      }
      return shares
    }

    private static func message(_ gone: Int, _ selected: Int) -> String {
      let text = "Deleted \(gone.counted("record"))"
      return gone > selected ? "\(text), \(gone - selected) of them with others" : text
    }

    /// The records that are gone now.
    private static func gone(
      _ selection: Selection, _ previews: [(zone: ZoneID, preview: DeletionPreview)],
      _ database: CloudDatabase
    ) throws -> [UndoPlan.Touched] {
      var gone: [UndoPlan.Touched] = []
      for (place, (zone, names)) in selection.zones.enumerated() {
        let all = names + previews[place].preview.cascade
        for (name, result) in zip(all, try database.fetch(all, in: zone)) {
          guard case .failure(let error) = result, error.code == .unknownItem else { continue }
          gone.append(UndoPlan.Touched(name: name, zone: zone, tag: nil))
        }
      }
      return gone
    }

    private static func command(_ selection: Selection, _ place: Place) -> String {
      selection.zones.map { zone, names in
        var place = place
        place.zone = zone
        return place.command(["record", "delete"], names.map(\.text))
      }.joined(separator: "\n")
    }

    // MARK: The page

    private static func page(
      _ open: OpenPlace, _ selection: Selection,
      _ previews: [(zone: ZoneID, preview: DeletionPreview)], _ back: String,
      _ error: CloudError? = nil
    ) throws -> HTML {
      let title = "Delete \(selection.count.counted("record"))"
      var frame = try Frame(title, open, rest: ["records"])
      frame.command = command(selection, open.place)
      let errors = error?.items ?? previews.flatMap(\.preview.errors)
      let lists = zip(selection.zones, previews).map { selected, preview -> HTML in
        let names = selected.names.map { item($0, selected.zone, open.place) }
        let cascade = preview.preview.cascade.map { item($0, selected.zone, open.place) }
        let others: HTML = """
          <h2>Deleted with them</h2><p class="quiet">\(cascade.count.grouped) by references with \
          the action DELETE_SELF</p><ul class="list" data-testid="cascade">\(cascade)</ul>
          """
        return "<ul class=\"list\">\(names)</ul>\(if: !cascade.isEmpty, others)"
      }
      return frame.page(
        """
        <div class="title"><h1>\(title)</h1></div>
        \(errors.prefix(20).map { PageFault($0).html })
        \(try warning(selection, open))\(lists)
        <form method="post" class="actions" \
        action="\(open.place.address(["do", action.name]))">\(open.visitor.formToken)\
        \(selection.hidden)\(HTML.hidden("back", back))\
        \(HTML.hidden("confirmed", "1"))\
        <button class="danger" data-testid="confirm" autofocus>\(title)</button>
        <a class="button" href="\(back)">Cancel</a></form>
        <p class="quiet">A snapshot is saved first. Undo puts the records back.</p>
        """)
    }

    private static func warning(_ selection: Selection, _ open: OpenPlace) throws -> HTML? {
      let names = try shares(of: selection, open.database).map(\.share.text)
      guard !names.isEmpty else { return nil }
      return Frame.notice(
        "Records of the share \(names.joined(separator: ", ")) are among them. If its root is "
          + "deleted, the share ends, and Undo does not put it back.")
    }

    private static func item(_ name: RecordName, _ zone: ZoneID, _ place: Place) -> HTML {
      var place = place
      place.zone = zone
      return """
        <li><a class="mono" href="\(place.address(["record", name.text]))">\(name.text)</a></li>
        """
    }
  }
#endif
