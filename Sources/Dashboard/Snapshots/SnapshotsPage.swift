#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// The snapshots of the store: to save, to restore and to compare, and fixtures to load.
  struct SnapshotsPage {
    private let open: OpenPlace
    private let snapshots: [SnapshotFacts]
    private var canChange: Bool { !open.visitor.isReadOnly }

    init(_ open: OpenPlace) throws {
      self.open = open
      snapshots = try open.store.snapshots().sorted { $0.made > $1.made }
    }

    /// The page.
    func html() throws -> HTML {
      var frame = try Frame("Snapshots", open, rest: ["snapshots"])
      frame.command = "ckdb snapshot list"
      return frame.page(
        """
        <div class="title"><h1>Snapshots</h1><p>of the whole store</p></div>
        \(table)\(if: canChange, saveForm)\(if: !snapshots.isEmpty, compareForm)
        <h2>Fixtures</h2><p class="quiet">To copy records as a fixture, select them in their table.\
        </p>\(if: canChange, fixtureForm)
        """)
    }

    private var address: String { open.place.address(["snapshots"]) }

    private var table: HTML {
      if snapshots.isEmpty { return "<p class=\"quiet\">No snapshots yet.</p>" }
      let rows = snapshots.map { snapshot -> HTML in
        let name = snapshot.name.text
        let compare = open.place.address(["compare"], [("from", name)])
        let fields = [("name", name), ("back", address)]
        let restore = open.button(
          "Restore", SnapshotActions.restore, fields, " data-testid=\"restore-\(name)\"")
        let delete = open.button(
          "Delete", SnapshotActions.delete, fields,
          " class=\"quiet\" data-testid=\"delete-\(name)\"")
        return """
          <tr><td class="mono" data-testid="snapshot">\(name)</td>\
          <td>\(snapshot.made.shortText)</td><td class="num">\(ValueText.size(snapshot.bytes))</td>\
          <td><a href="\(compare)" data-testid="compare-\(name)">what changed since</a></td>\
          <td>\(if: canChange, "\(restore)\(delete)")</td></tr>
          """
      }
      return .table(
        "Snapshots", ["snapshot", "made (UTC)", "size", "compare", "change"], rows, id: "snapshots")
    }

    private var saveForm: HTML {
      open.form(
        SnapshotActions.save,
        """
        <input name="name" class="mono" required placeholder="name" \
        aria-label="Name of the new snapshot"><button data-testid="snapshot-save">\
        Save a snapshot</button>
        """, "line", back: address)
    }

    private var compareForm: HTML {
      let names = snapshots.map { ($0.name.text, $0.name.text) }
      let kept = open.place.own.compactMap { name, value in value.map { HTML.hidden(name, $0) } }
      return """
        <form class="line" action="\(open.place.path(["compare"]))">\(kept)\
        <label>Compare \(HTML.select("from", nil, names))</label>\
        <label>with \(HTML.select("to", nil, [("", "now")] + names))</label>\
        <button data-testid="compare">Compare</button></form>
        """
    }

    private var fixtureForm: HTML {
      """
      <form method="post" class="line" enctype="multipart/form-data" data-drop="" \
      action="\(open.place.address(["do", SnapshotActions.loadFixture.name]))">\
      \(open.visitor.formToken)\(HTML.hidden("back", address))\
      <input type="file" name="file" required aria-label="Fixture" accept=".json">\
      <button data-testid="fixture-load">Load a fixture</button></form>
      """
    }
  }
#endif
