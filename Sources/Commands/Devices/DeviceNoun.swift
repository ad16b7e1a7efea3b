internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb device …`
enum DeviceNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("add", "Add a device", verb: { DeviceAdd.command }),
    CommandRow("list", "List the devices", verb: { DeviceList.command }),
    CommandRow("show", "Show a device", verb: { DeviceShow.command }),
    CommandRow("edit", "Change a device", verb: { DeviceEdit.command }),
    CommandRow("online", "Connect a device", verb: { connection(isOnline: true) }),
    CommandRow("offline", "Disconnect a device", verb: { connection(isOnline: false) }),
    CommandRow("remove", "Remove a device", verb: { DeviceRemove.command }),
  ]

  static let name = Operand("NAME", .device, "Name of the device")
  static let kind = Option(
    "kind", nil, ValueKind<NamedDevice.Kind>.choice("KIND"), "Kind: ios or mac (default: ios)")
  static let offset = Option(
    "clock-offset", nil, .clockOffset, "Offset of its clock: +2s, -500ms, 1h")
  static let account = Option(
    "account", nil, .account, "Account that is signed in (default: the current one)")
  static var options: [AnyOption] { [AnyOption(kind), AnyOption(offset), AnyOption(account)] }

  /// Applies the options to the settings.
  static func apply(_ arguments: Arguments, to settings: inout NamedDevice) {
    if let kind = arguments[kind] { settings.kind = kind }
    if let offset = arguments[offset] { settings.clockOffset = offset }
    if let account = arguments[account] { settings.account = account }
  }

  /// The columns of a device.
  static let columns = ["device", "kind", "account", "clockOffset", "isOnline"]

  static func row(_ device: Device, _ settings: NamedDevice) -> [JSONValue] {
    [
      .string(device.name), .string(settings.kind.rawValue),
      settings.account.map { .string($0.name) } ?? .null,
      .double(Double(settings.clockOffset) / 1000), .bool(settings.isOnline),
    ]
  }

  /// Finds the settings of a device. Throws `unknownItem` if there is no such device.
  static func find(
    _ device: Device, _ store: CloudStore, _ context: Context
  ) throws -> NamedDevice {
    let all = try store.devices(for: context.request())
    guard let found = all.first(where: { $0.device == device }) else {
      throw CommandError(
        any: CloudError(
          .unknownItem, "no device '\(device.name)'",
          remedy: .nearest(to: device.name, among: all.map(\.device.name))))
    }
    return found.settings
  }

  private static func connection(isOnline: Bool) -> Command<Context> {
    let verb = isOnline ? "online" : "offline"
    return Command(
      operands: [AnyOperand(name)],
      discussion: isOnline
        ? "The device receives what it missed while it was offline."
        : """
        Until 'ckdb device online', the device receives no notifications, does not sync keys or \
        documents, and cannot reach records, zones, assets, shares, subscriptions or users: \
        commands with --device fail with networkUnavailable (exit code 69). Its keys and documents \
        can still be changed, and commands on the store itself, such as schema, fixture and \
        snapshot, still work.
        """,
      examples: [
        .init(isOnline ? "Connect a phone" : "Disconnect a phone", "ckdb device \(verb) phone")
      ]
    ) { arguments, context in
      let (store, device) = (try context.store(), arguments.required(name))
      let found = try find(device, store, context)
      try store.setOnline(isOnline, device, of: found.account, for: context.request())
      context.report("\(device.name) is \(verb)")
    }
  }
}

/// `ckdb device add NAME`
enum DeviceAdd {
  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(DeviceNoun.name)], options: DeviceNoun.options,
      discussion: """
        Adds a device to the store. Commands with --device act as the account that is signed in on \
        it; --user and CKDB_USER take precedence. A device that was not added is an ios device of \
        the account that first writes from it. cli, the default device, is separate for each \
        account.
        """,
      examples: [
        .init(
          "Add a Mac whose clock is ahead",
          "ckdb device add mac --kind mac --clock-offset +2s")
      ]
    ) { arguments, context in
      let (store, device) = (try context.store(), arguments.required(DeviceNoun.name))
      guard device != .cli else {
        throw CommandError("every account already has the device cli", .cannotCreate)
      }
      var settings = NamedDevice(account: try context.settings.account())
      DeviceNoun.apply(arguments, to: &settings)
      guard try store.add(device, settings) else {
        throw CommandError(
          "device \(device.name) already exists", .cannotCreate,
          hint: "'ckdb device edit \(device.name)' changes it")
      }
      context.report("added device \(device.name)")
    }
  }
}

/// `ckdb device list`
enum DeviceList {
  static var command: Command<Context> {
    Command(
      discussion: "Lists the devices that were added, and those that accounts have written from.",
      examples: [.init("List the devices", "ckdb device list")]
    ) { _, context in
      let store = try context.store()
      let output = try RowOutput(context, noun: "device", columns: DeviceNoun.columns)
      for (device, settings) in try store.devices(for: context.request()) {
        output.row(DeviceNoun.row(device, settings))
      }
      output.finish()
    }
  }
}

/// `ckdb device show NAME`
enum DeviceShow {
  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(DeviceNoun.name)],
      discussion: "clockOffset is in seconds.",
      examples: [.init("Show a device", "ckdb device show phone --json")]
    ) { arguments, context in
      let (store, device) = (try context.store(), arguments.required(DeviceNoun.name))
      let settings = try DeviceNoun.find(device, store, context)
      let output = try RowOutput(context, noun: "device", columns: DeviceNoun.columns)
      output.row(DeviceNoun.row(device, settings))
      output.finish()
    }
  }
}

/// `ckdb device edit NAME`
enum DeviceEdit {
  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(DeviceNoun.name)], options: DeviceNoun.options,
      examples: [.init("Set its clock back", "ckdb device edit phone --clock-offset -1h")]
    ) { arguments, context in
      let (store, device) = (try context.store(), arguments.required(DeviceNoun.name))
      let found = try DeviceNoun.find(device, store, context)
      var settings = found
      DeviceNoun.apply(arguments, to: &settings)
      try context.confirmSignOut(of: device, for: settings.account)
      try store.change(device, of: found.account, for: context.request()) {
        DeviceNoun.apply(arguments, to: &$0)
      }
      context.report("changed device \(device.name)")
    }
  }
}

/// `ckdb device remove NAME`
enum DeviceRemove {
  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(DeviceNoun.name)],
      discussion: """
        Removes the device's settings, keys and documents. Lists what is not in iCloud yet, and \
        asks for confirmation if there is any. Records keep the device that they were written \
        from, and a device with records stays in 'device list'.
        """,
      examples: [.init("Remove a device", "ckdb device remove phone")]
    ) { arguments, context in
      let (store, device) = (try context.store(), arguments.required(DeviceNoun.name))
      let request = try context.request()
      let work = try store.unsentWork(on: device, for: request)
      if !work.isEmpty {
        context.report(work)
        try context.confirm(
          "remove device \(device.name) and lose \(work.count.counted("item")) that only it has")
      }
      try store.remove(device, for: request)
      context.report("removed device \(device.name)")
    }
  }
}

extension ValueKind where Value == Device {
  /// A device's name.
  static let device = ValueKind<Device>("NAME", candidates: .question("devices")) {
    (word) throws(ValueError) in
    try checked { () throws(CloudError) in try Device(word) }
  }
}

extension ValueKind where Value == Int64 {
  /// A time with a unit, in milliseconds: `+2s`, `-500ms`, `1h`.
  static let clockOffset = ValueKind<Int64>("TIME") { (word) throws(ValueError) in
    let isBehind = word.hasPrefix("-")
    let span = isBehind || word.hasPrefix("+") ? word.dropFirst() : word[...]
    guard let offset = TimeSpan.milliseconds(span) else {
      throw ValueError(
        "'\(word.visible)' is not a clock offset: write +2s, -500ms, 3m, 1h or 1d")
    }
    return isBehind ? -offset : offset
  }
}
