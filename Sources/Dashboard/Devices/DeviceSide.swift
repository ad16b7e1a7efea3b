#if Server
  internal import CloudModel
  internal import CloudServices

  /// A device of the account of a page, whose keys or documents an action changes.
  struct DeviceSide {
    let open: OpenPlace
    /// The request of the app on the device.
    let request: Request
    var device: Device { open.place.device }

    /// The device of the page, or another one by its name. Throws `CloudError`.
    init(_ request: ActionRequest, on device: String? = nil) throws {
      try request.visitor.requireChangeable()
      guard var place = request.place else { throw CloudError.noPage }
      if let device { place.device = try Device(device) }
      open = try OpenPlace(place, for: request.visitor)
      self.request = request.visitor.serving(place.account, place.device)
    }

    /// The line of a command on the device. Operands may look like options.
    func line(_ words: [String], _ operands: [String] = []) -> String {
      let place = open.place
      let device = place.device == .cli ? [] : ["--device", place.device.name]
      let at = ["-C", place.container.text, "-u", place.account?.name ?? Place.nobody] + device
      return Place.line(words + at, operands)
    }
  }

  extension OpenPlace {
    /// A button for an action of a device, in a form.
    func button(
      _ label: HTML, _ action: Action, on device: Device,
      _ fields: [(name: String, value: String)] = [], back: String, id: String
    ) -> HTML {
      var other = place
      other.device = device
      return button(
        label, action, fields + [("back", back)], " data-testid=\"\(id)\"", at: other)
    }

    /// The button that syncs all devices of the account.
    func syncAll(_ action: Action, back: String) -> HTML {
      let sync = button(
        "Sync all", action, on: .cli, [("all", "1")], back: back, id: "sync-all")
      return "<div class=\"actions\">\(sync)</div>"
    }

    /// The head of a device's column, with the button that syncs it.
    func head(_ device: Device, isOnline: Bool, _ action: Action, back: String) -> HTML {
      let name = device.name
      let sync = button("Sync", action, on: device, back: back, id: "sync-\(name)")
      return """
        <th scope="col">\(name)\(if: !isOnline, " <span class=\"chip bad\">offline</span>") \
        \(if: !visitor.isReadOnly, sync)</th>
        """
    }
  }
#endif
