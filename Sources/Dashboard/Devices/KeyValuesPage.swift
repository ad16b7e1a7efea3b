#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import FieldCodecs

  /// The keys of the account in iCloud next to those of each of its devices: what is not sent yet,
  /// and what the next synchronization decides.
  struct KeyValuesPage {
    private let open: OpenPlace
    private let inCloud: [KeyValueEntry]
    private let devices: [DeviceKeys]
    private var canChange: Bool { !open.visitor.isReadOnly }

    /// The maximum number of keys on the page.
    private static let most = 1100

    init(_ open: OpenPlace) throws {
      self.open = open
      let account = try open.database.namedAccount()
      (inCloud, devices) = try open.store.keyValueOverview(
        of: account, in: open.place.container, for: open.request)
    }

    /// The page.
    func html() throws -> HTML {
      var frame = try Frame("Keys and values", open, rest: ["kvs"])
      frame.command = Place.line(
        ["kvs", "list", "-C", open.place.container.text, "-u", open.place.account?.name ?? ""])
      let conflicts = devices.flatMap { device in device.conflicts.map { (device, $0) } }
      return frame.page(
        """
        <div class="title"><h1>Keys and values</h1><p>of \(open.place.account?.name ?? "")</p>\
        \(if: canChange, open.syncAll(KeyValueActions.sync, back: address))</div>
        \(if: !conflicts.isEmpty, "<h2>Conflicts</h2>")\(conflicts.map(conflict))
        \(table)\(if: canChange, form)
        <h2>Events</h2>\(events)
        """)
    }

    private var address: String { open.place.address(["kvs"]) }

    private var heads: [HTML] {
      devices.map {
        open.head($0.device, isOnline: $0.isOnline, KeyValueActions.sync, back: address)
      }
    }

    private func button(
      _ label: HTML, _ action: Action, _ device: Device,
      _ fields: [(name: String, value: String)], _ id: String
    ) -> HTML {
      open.button(label, action, on: device, fields, back: address, id: id)
    }

    // MARK: Conflicts

    private func conflict(_ device: DeviceKeys, _ conflict: DeviceKeys.Conflict) -> HTML {
      let name = device.device.name
      let winner = conflict.isWonByDevice ? name : "iCloud"
      func resolve(_ keep: String, _ label: HTML) -> HTML {
        button(
          label, KeyValueActions.resolve, device.device, [("key", conflict.key), ("keep", keep)],
          "keep-\(keep)-\(conflict.key)")
      }
      let buttons = [
        resolve("mine", "Keep that of \(name)"), resolve("theirs", "Keep that of iCloud"),
      ]
      return """
        <div class="finding warn" data-testid="conflict"><span><b class="mono">\(conflict.key)</b> \
        was changed both on \(name) and in iCloud. The next sync keeps the value of \(winner).\
        </span><span class="mono">\(name): \(text(value(conflict.key, device.entries)))</span>\
        <span class="mono">iCloud: \(text(value(conflict.key, inCloud)))</span>\
        \(canChange ? buttons : [])</div>
        """
    }

    private func value(_ key: String, _ entries: [KeyValueEntry]) -> PropertyListValue? {
      entries.first { utf8Equal($0.key, key) }?.value
    }

    private func text(_ value: PropertyListValue?) -> String {
      value.map { $0.plain.text.truncated(toColumns: 80) } ?? "removed"
    }

    // MARK: The table

    private var table: HTML {
      // Keys are bytes: two spellings of a text can be equal strings.
      let all = (inCloud + devices.flatMap(\.entries)).map(\.key) + devices.flatMap(\.pending)
      let keys = Set(all.map { Array($0.utf8) }).sorted { $0.lexicographicallyPrecedes($1) }
      if keys.isEmpty { return "<p class=\"quiet\">No keys yet.</p>" }
      let cloud = Self.values(inCloud)
      let sides = devices.map { device in
        (
          name: device.device.name, values: Self.values(device.entries),
          pending: Set(device.pending.map { Array($0.utf8) })
        )
      }
      let rows = keys.prefix(Self.most).map { bytes -> HTML in
        let key = String(decoding: bytes, as: UTF8.self)
        let cells = sides.map { side -> HTML in
          """
          <td data-testid="\(side.name)-\(key)">\(shown(side.values[bytes]))\
          \(if: side.pending.contains(bytes), " <span class=\"chip warn\">pending</span>")</td>
          """
        }
        return """
          <tr><th scope="row" class="mono">\(key)</th>\
          <td data-testid="icloud-\(key)">\(shown(cloud[bytes]))</td>\(cells)</tr>
          """
      }
      return """
        <div class="tablebox free" tabindex="0" role="region" aria-label="Keys"><table \
        data-testid="kvs"><thead><tr><th scope="col">key</th><th scope="col">iCloud</th>\
        \(heads)</tr></thead><tbody>\(rows)</tbody></table></div>
        \(HTML.first(rows.count, of: keys.count))
        """
    }

    private static func values(_ entries: [KeyValueEntry]) -> [[UInt8]: PropertyListValue] {
      Dictionary(entries.map { (Array($0.key.utf8), $0.value) }) { $1 }.compactMapValues(\.self)
    }

    private func shown(_ value: PropertyListValue?) -> HTML {
      guard let value else { return "<span class=\"null\">none</span>" }
      return """
        <span class="mono">\(text(value))</span> <span class="type">\(value.kind.rawValue)</span>
        """
    }

    private var events: HTML {
      let all = devices.flatMap(\.events)
      let rows = all.sorted { $0.number > $1.number }.prefix(20).map { event -> HTML in
        """
        <tr><td>\(event.at.shortText)</td><td>\(event.device.name)</td>\
        <td>\(event.reason.name)</td>\
        <td class="mono">\(event.keys.joined(separator: ", "))</td></tr>
        """
      }
      if rows.isEmpty { return "<p class=\"quiet\">No device has seen a change from iCloud.</p>" }
      return .table("Events", ["when", "device", "reason", "keys"], Array(rows), id: "kvs-events")
    }

    private var form: HTML {
      let kinds = PropertyListValue.Kind.allCases.map { ($0.rawValue, $0.rawValue) }
      let names = devices.map { ($0.device.name, $0.device.name) }
      return open.form(
        KeyValueActions.set,
        """
        <input name="key" class="mono" required placeholder="key" aria-label="Key">\
        <input name="value" class="mono" placeholder="value" aria-label="Value">\
        \(HTML.select("type", "Type", kinds + [("remove", "remove the key")]))\
        \(HTML.select("on", "Device", names, chosen: open.place.device.name))\
        <button data-testid="kvs-set">Set on the device</button>
        """, "line", back: address)
    }
  }
#endif
