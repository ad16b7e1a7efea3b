#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// The actions on accounts and devices, which belong to the store as a whole.
  enum PeopleActions {
    static let all = [createAccount, setStatus, setQuota, addDevice, connect]

    static let createAccount = Action(
      name: "account-create", summary: "Create an account", verb: "account create"
    ) { request in
      let open = try request.openStore()
      let account = try Account((request.form["name"] ?? "").trimmed)
      let email = (request.form["email"] ?? "").trimmed
      let addresses = email.isEmpty ? [] : [try PersonAddress(email: email)]
      guard try open.store.create(account, Person(addresses: addresses)) else {
        throw CloudError(.constraintViolation, "The account exists: \(account.name)")
      }
      return request.done(
        "Created the account \(account.name)",
        ["account", "create"] + (email.isEmpty ? [] : ["--email", email]), [account.name])
    }

    static let setStatus = Action(
      name: "account-status", summary: "Set the status of an account", verb: "account status"
    ) { request in
      let open = try request.openStore()
      let account = try open.database.namedAccount()
      guard let status = AccountStatus(name: request.form["status"] ?? "") else {
        throw CloudError(.invalidArguments, "Unknown status")
      }
      try open.store.set(status, of: account)
      return request.done(
        "\(account.name) is now \(status.name)",
        ["account", "status", status.name, "-u", account.name])
    }

    static let setQuota = Action(
      name: "account-quota", summary: "Set the quota of an account", verb: "account quota"
    ) { request in
      let open = try request.openStore()
      let account = try open.database.namedAccount()
      let text = (request.form["quota"] ?? "").trimmed
      let bytes = Int64(text)
      guard text.isEmpty || bytes.map({ $0 >= 0 }) ?? false else {
        throw CloudError(.invalidArguments, "The quota must be a number of bytes, or empty")
      }
      try open.store.set(quota: bytes, of: account)
      return request.done(
        bytes == nil ? "\(account.name) has no quota" : "Set the quota of \(account.name)",
        ["account", "quota", bytes.map { String($0) } ?? "none", "-u", account.name])
    }

    static let addDevice = Action(
      name: "device-add", summary: "Add a device", verb: "device add"
    ) { request in
      let open = try request.openStore()
      let device = try Device((request.form["name"] ?? "").trimmed)
      let account = try Account(request.form["account"] ?? "")
      let kind = NamedDevice.Kind(rawValue: request.form["kind"] ?? "") ?? .ios
      guard device != .cli,
        try open.store.add(device, NamedDevice(kind: kind, account: account))
      else { throw CloudError(.constraintViolation, "The device exists: \(device.name)") }
      return request.done(
        "Added the device \(device.name)",
        ["device", "add", "--kind", kind.rawValue, "--account", account.name], [device.name])
    }

    static let connect = Action(
      name: "device-network", summary: "Connect a device, or disconnect it", verb: "device online"
    ) { request in
      let open = try request.openStore()
      let device = try Device(request.form["name"] ?? "")
      let isOnline = request.form["to"] == "online"
      let word = isOnline ? "online" : "offline"
      let devices = try open.store.devices(for: open.request)
      guard let settings = devices.first(where: { $0.device == device })?.settings else {
        throw CloudError(.unknownItem, "no device '\(device.name)'")
      }
      try open.store.setOnline(isOnline, device, of: settings.account, for: open.request)
      return request.done("\(device.name) is now \(word)", ["device", word], [device.name])
    }
  }

  extension ActionRequest {
    /// Opens the place for a change of the store as a whole. Throws `CloudError`.
    func openStore() throws(CloudError) -> OpenPlace {
      try visitor.requireChangeable()
      return try openToLook()
    }

    /// The result of an action that is done: its page, with the words and the operands of the
    /// equivalent command.
    func done(
      _ message: String, notes: [String] = [], _ words: [String], _ operands: [String] = []
    ) -> ActionResult {
      done(message, notes: notes, line: Place.line(words, operands))
    }

    /// The result of an action that is done, with the line of the equivalent command.
    func done(_ message: String, notes: [String] = [], line: String?) -> ActionResult {
      let usual = place?.address(["records"]) ?? "\(visitor.base)/"
      return .done(Done(message: message, notes: notes, command: line), at: back(or: usual))
    }
  }

  extension CloudDatabase {
    /// The account of the page. Throws `notAuthenticated`, whatever its status.
    func namedAccount() throws(CloudError) -> Account {
      guard let account else {
        throw CloudError(.notAuthenticated, "No account is signed in")
      }
      return account
    }
  }
#endif
