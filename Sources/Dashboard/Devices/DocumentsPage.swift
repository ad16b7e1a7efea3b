#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// The documents of the account in iCloud next to those of each of its devices: what is not sent
  /// or not downloaded yet, and the versions in conflict with their contents.
  struct DocumentsPage {
    private let open: OpenPlace
    private let account: Account
    private let inCloud: [CloudStore.PersonalDocument]
    private let devices: [DeviceDocuments]
    private var canChange: Bool { !open.visitor.isReadOnly }

    /// The maximum number of documents on the page.
    private static let most = 500
    /// The maximum number of bytes of a version that are shown.
    private static let mostBytes: Int64 = 20_000

    /// The documents of a device.
    private struct DeviceDocuments {
      let device: Device
      let isOnline: Bool
      let store: DocumentStore
      let items: [DocumentItem]
    }

    init(_ open: OpenPlace) throws {
      self.open = open
      account = try open.database.namedAccount()
      let place = open.place
      inCloud = try open.store.documentData(of: account, in: place.container, for: open.request)
        .filter { $0.device == nil }
      let named = try open.store.devices(for: open.request)
        .filter { $0.settings.account == open.place.account }
      let all = [(Device.cli, true)] + named.map { ($0.device, $0.settings.isOnline) }
      devices = try all.map { device, isOnline in
        let store = try open.store.documentStore(
          place.container, for: open.visitor.serving(open.place.account, device))
        return DeviceDocuments(
          device: device, isOnline: isOnline, store: store, items: try store.items())
      }
    }

    /// The page.
    func html() throws -> HTML {
      var frame = try Frame("Documents", open, rest: ["documents"])
      frame.command = Place.line(
        ["document", "list", "-l", "-C", open.place.container.text, "-u", account.name])
      let conflicts = try conflicts()
      return frame.page(
        """
        <div class="title"><h1>Documents</h1><p>of \(account.name)</p>\
        \(if: canChange, open.syncAll(DocumentActions.sync, back: address))</div>
        \(if: !conflicts.isEmpty, "<h2>Conflicts</h2>")\(conflicts)
        \(table)\(if: canChange, form)
        <h2>Events</h2>\(try events())
        """)
    }

    private var address: String { open.place.address(["documents"]) }

    private var heads: [HTML] {
      devices.map {
        open.head($0.device, isOnline: $0.isOnline, DocumentActions.sync, back: address)
      }
    }

    private func button(
      _ label: HTML, _ action: Action, _ device: Device,
      _ fields: [(name: String, value: String)], _ id: String
    ) -> HTML {
      open.button(label, action, on: device, fields, back: address, id: id)
    }

    // MARK: Conflicts

    /// Each document in conflict once, as the first device sees it that knows of it.
    private func conflicts() throws -> [HTML] {
      var met: Set<String> = []
      var found: [HTML] = []
      for device in devices {
        for item in device.items where item.hasConflicts && met.insert(item.path.key).inserted {
          found.append(try conflict(item.path, on: device))
        }
      }
      return found
    }

    private func conflict(_ path: DocumentPath, on device: DeviceDocuments) throws -> HTML {
      func keep(_ identifier: String, _ label: HTML, _ id: String) -> HTML? {
        guard canChange else { return nil }
        return button(
          label, DocumentActions.resolve, device.device,
          [("path", path.text), ("keep", identifier)], id)
      }
      let versions = try device.store.versions(of: path).enumerated().map {
        place, version -> HTML in
        // A version that is not in iCloud yet has no identifier there.
        let isUnsent = version.isCurrent && version.identifier == "local"
        let identifier = isUnsent ? "current" : version.identifier
        return """
          <div class="card" data-testid="version"><h2>\
          \(version.isCurrent ? "Current" : "In conflict"): saved on \(version.device.name), \
          \(version.changed.shortText) UTC</h2>\
          \(contents(of: path, version, device.store))\
          \(keep(identifier, "Keep this one", "keep-\(place)"))</div>
          """
      }
      return """
        <section data-testid="conflict"><p><b class="mono">\(path.text)</b> was saved on several \
        devices that had not seen each other’s versions.</p>\
        <div class="cards wide">\(versions)</div>\
        \(keep("both", "Keep both", "keep-both"))</section>
        """
    }

    /// The contents of a version as text, if they are one.
    private func contents(
      of path: DocumentPath, _ version: DocumentVersion, _ store: DocumentStore
    ) -> HTML {
      guard let reading = try? store.openHere(path, version: version.identifier) else {
        return "<p class=\"quiet\">The contents are not on \(store.request.device.name).</p>"
      }
      guard !reading.isPackage, let file = reading.files.first, file.size <= Self.mostBytes else {
        return "<p class=\"quiet\">\(ValueText.size(version.size))</p>"
      }
      var bytes: [UInt8] = []
      guard (try? file.copy { bytes.append(contentsOf: $0) }) != nil,
        let text = String(validating: bytes, as: UTF8.self)
      else { return "<p class=\"quiet\">\(ValueText.size(version.size)), not a text</p>" }
      return "<pre>\(text)</pre>"
    }

    // MARK: The table

    private var table: HTML {
      let current = inCloud.filter { $0.state == "current" }
      let paths = Dictionary(
        (current.map(\.path) + devices.flatMap(\.items).map(\.path)).map { ($0.key, $0) }
      ) { first, _ in first }
      if paths.isEmpty { return "<p class=\"quiet\">No documents yet.</p>" }
      let cloud = Dictionary(current.map { ($0.path.key, $0) }) { first, _ in first }
      let sides = devices.map { side in
        (side: side, items: Dictionary(side.items.map { ($0.path.key, $0) }) { first, _ in first })
      }
      let rows = paths.values.sorted { utf8Precedes($0.text, $1.text) }.prefix(Self.most)
        .map { path -> HTML in
          let cells = sides.map { "<td>\(cell($0.items[path.key], $0.side))</td>" as HTML }
          return """
            <tr><th scope="row" class="mono">\(path.text)</th>\
            <td>\(inCloud(cloud[path.key]))</td>\(cells)</tr>
            """
        }
      return """
        <div class="tablebox free" tabindex="0" role="region" aria-label="Documents"><table \
        data-testid="documents"><thead><tr><th scope="col">document</th><th scope="col">iCloud</th>\
        \(heads)</tr></thead><tbody>\(rows)</tbody></table></div>
        \(HTML.first(rows.count, of: paths.count))
        """
    }

    private func inCloud(_ document: CloudStore.PersonalDocument?) -> HTML {
      guard let document else { return "<span class=\"null\">none</span>" }
      let size = document.files.reduce(0) { $0 + $1.asset.size }
      let others = inCloud.filter { $0.path == document.path && $0.state == "conflict" }.count
      return """
        \(ValueText.size(size)), \(document.changed.shortText)\
        \(if: others > 0, " <span class=\"chip bad\">\(others.counted("conflict"))</span>")
        """
    }

    private func cell(_ item: DocumentItem?, _ side: DeviceDocuments) -> HTML {
      guard let item else { return "<span class=\"null\">none</span>" }
      let name = side.device.name
      var chips: [HTML] = []
      switch item.downloading {
      case .current: chips.append("<span class=\"chip good\">current</span>")
      case .downloaded: chips.append("<span class=\"chip warn\">older version</span>")
      case .notDownloaded: chips.append("<span class=\"chip warn\">not downloaded</span>")
      }
      if item.isLocal {
        chips.append(" <span class=\"chip\">stays here</span>")
      } else if !item.isUploaded, item.downloading == .current {
        chips.append(" <span class=\"chip warn\">pending</span>")
      }
      if item.hasConflicts { chips.append(" <span class=\"chip bad\">conflict</span>") }
      if let error = item.uploadingError {
        chips.append(" <span class=\"chip bad\">\(error)</span>")
      }
      let fields = [("path", item.path.text)]
      let step =
        item.downloading == .current
        ? button("Evict", DocumentActions.evict, side.device, fields, "evict-\(name)")
        : button("Download", DocumentActions.download, side.device, fields, "download-\(name)")
      let remove = button("Remove", DocumentActions.remove, side.device, fields, "remove-\(name)")
      return "\(chips) \(if: canChange, "\(step)\(remove)")"
    }

    private func events() throws -> HTML {
      let all = try devices.flatMap { try $0.store.events().suffix(20) }
      let rows = all.sorted { $0.number > $1.number }.prefix(20).map { event -> HTML in
        """
        <tr><td>\(event.at.shortText)</td><td>\(event.device.name)</td><td>\(event.kind.rawValue)\
        </td><td class="mono">\(event.path.text)</td><td>\(event.detail ?? "")</td></tr>
        """
      }
      if rows.isEmpty { return "<p class=\"quiet\">No device has seen a change.</p>" }
      return .table(
        "Events", ["when", "device", "event", "document", "detail"], Array(rows),
        id: "document-events")
    }

    private var form: HTML {
      let names = devices.map { ($0.device.name, $0.device.name) }
      return """
        <form method="post" class="card grid" enctype="multipart/form-data" \
        action="\(open.place.address(["do", DocumentActions.put.name]))">\
        \(open.visitor.formToken)\(HTML.hidden("back", address))<h2>Save a document</h2>\
        <label>Path <input name="path" class="mono" required placeholder="Documents/notes.txt">\
        </label><label>Device \
        \(HTML.select("on", nil, names, chosen: open.place.device.name))</label>\
        <label class="row">Text <textarea name="text" rows="3"></textarea></label>\
        <label>or a file <input type="file" name="file"></label>\
        <button data-testid="document-put">Save on the device</button></form>
        """
    }
  }
#endif
