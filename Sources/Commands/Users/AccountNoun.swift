internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb account …`
enum AccountNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("create", "Create an account with addresses", verb: { AccountCreate.command }),
    CommandRow(
      "edit", "Change the names and addresses of an account", verb: { AccountEdit.command }),
    CommandRow("list", "List the accounts of the store", verb: { AccountList.command }),
    CommandRow("show", "Show an account", verb: { AccountShow.command }),
    CommandRow("sign-in", "Sign in to an account", verb: { AccountSignIn.command }),
    CommandRow("sign-out", "Sign out", verb: { AccountSignOut.command }),
    CommandRow(
      "status", "Print or set the account status that apps see",
      verb: { AccountStatusVerb.command }),
    CommandRow(
      "quota", "Print or set the storage quota", verb: { AccountQuota.command }),
    CommandRow("restrict", "Freeze the data of an account", verb: { AccountRestrict.command }),
    CommandRow("export", "Write all data of an account to files", verb: { AccountExport.command }),
    CommandRow("purge", "Delete the data of an account", verb: { AccountPurge.command }),
    CommandRow("delete", "Delete an account without data", verb: { AccountDelete.command }),
  ]
}

/// `ckdb account list`
enum AccountList {
  static var command: Command<Context> {
    Command(
      discussion: "Lists the current account and those that have written or have a status.",
      examples: [.init("List the accounts", "ckdb account list")]
    ) { _, context in
      let store = try context.store()
      let current = try context.settings.account()
      let output = try RowOutput(
        context, noun: "account", columns: ["account", "status", "isSignedIn"])
      var accounts = try store.accounts(for: context.request())
      if let current, !accounts.contains(current) { accounts.append(current) }
      for account in accounts {
        output.row([
          .string(account.name), .string(try store.status(of: account).name),
          .bool(account == current),
        ])
      }
      output.finish()
    }
  }
}

/// `ckdb account show [NAME]`
enum AccountShow {
  static let name = Operand("NAME", .account, .optional, "Name of an account")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(name)],
      discussion: """
        Shows the current account, or another: its status, its user record name in the container, \
        whether it has written there, its zones and records in the private database, the bytes \
        that they count towards its quota, and the person's names and addresses.
        """,
      examples: [.init("Print the user record name", "ckdb account show --json")]
    ) { arguments, context in
      let store = try context.store()
      guard let account = try arguments[name] ?? context.settings.account() else {
        throw CommandError(any: CloudError.notSignedIn)
      }
      let environment = try context.environment()
      let size = try environment.size(of: account)
      var columns = [
        "account", "status", "userRecordName", "hasWritten", "zones", "records", "bytes",
      ]
      var cells: [JSONValue] = [
        .string(account.name), .string(try store.status(of: account).name),
        .string(environment.userRecordName(account).text), .bool(size != nil),
        .int(size?.zones ?? 0), .int(size?.records ?? 0), .int(size?.bytes ?? 0),
      ]
      if let person = try store.person(of: account) {
        columns += ["givenName", "familyName", "emails", "phones"]
        cells += [
          person.givenName.map { .string($0) } ?? .null,
          person.familyName.map { .string($0) } ?? .null, .list(person.emails),
          .list(person.phones),
        ]
      }
      let output = try RowOutput(context, noun: "account", columns: columns)
      output.row(cells)
      output.finish()
    }
  }
}

/// `ckdb account sign-in NAME`
enum AccountSignIn {
  static let name = Operand("NAME", .account, "Name of an account")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(name)],
      discussion: """
        Later commands act as this account, unless --user or CKDB_USER names another. Its status \
        becomes available. With --device, the account signs in on that device only, and commands \
        with --device act as it. Data of the previous account that is only on the device is \
        listed, and the command asks for confirmation: it stays there until that account signs in \
        again.
        """,
      examples: [
        .init("Act as anna", "ckdb account sign-in anna"),
        .init("Sign in on another device", "ckdb account sign-in anna --device phone"),
      ]
    ) { arguments, context in
      let account = arguments.required(name)
      let store = try context.store()
      if let device = try context.settings.namedDevice() {
        try context.confirmSignOut(of: device, for: account)
      }
      try store.set(.available, of: account)
      if let device = try context.settings.namedDevice() {
        try store.change(device, of: account, for: context.request()) { $0.account = account }
        return context.report("\(account.name) is signed in on \(device.name)")
      }
      try SignedIn.save(account.name, context)
      try store.noteAccount(account, on: .cli, for: context.request())
      context.report("\(account.name) is signed in")
    }
  }
}

/// `ckdb account sign-out`
enum AccountSignOut {
  static var command: Command<Context> {
    Command(
      discussion: """
        Later commands act without an account, unless --user or CKDB_USER names one: they can read \
        what the public database shows to everyone. With --device, the account signs out on that \
        device only; data that is only on the device is listed, and the command asks for \
        confirmation.
        """,
      examples: [.init("Test an app without an account", "ckdb account sign-out")]
    ) { _, context in
      let store = try context.store()
      if let device = try context.settings.namedDevice() {
        try context.confirmSignOut(of: device, for: nil)
        try store.change(device, of: nil, for: context.request()) { $0.account = nil }
        return context.report("no account is signed in on \(device.name)")
      }
      try SignedIn.save("none", context)
      context.report("no account is signed in")
    }
  }
}

/// `ckdb account status [STATUS]`
enum AccountStatusVerb {
  static let status = Operand("STATUS", .accountStatus, .optional, "New status")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(status)],
      discussion: """
        Prints the CKContainer.accountStatus of the current account, or sets it. All but available \
        refuse operations that need an account: temporarilyUnavailable with \
        accountTemporarilyUnavailable (36), the others with notAuthenticated (9).
        """,
      examples: [
        .init("Test how an app handles parental controls", "ckdb account status restricted"),
        .init("Go back", "ckdb account status available"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let store = try context.store()
    let account = try context.settings.account()
    if let status = arguments[status] {
      guard let account else {
        throw CommandError(
          "no account is signed in", .usage, hint: "choose an account with --user")
      }
      try store.set(status, of: account)
      context.report("the status of \(account.name) is \(status.name)")
      return
    }
    let current = try account.map { try store.status(of: $0) } ?? .noAccount
    guard context.settings.explicitFormat != nil else {
      return context.output.line(current.name)
    }
    let output = try RowOutput(context, noun: "account", columns: ["account", "status"])
    output.row([account.map { .string($0.name) } ?? .null, .string(current.name)])
    output.finish()
  }
}

/// `ckdb account quota [BYTES]`
enum AccountQuota {
  static let bytes = Operand(
    "BYTES", .quota, .optional, "Quota of the private database in bytes, or none")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(bytes)],
      discussion: """
        Prints or sets the quota in bytes of the current account's private database in each \
        environment (values and asset contents); with -d public that of the container's public \
        database. A save that would exceed it is refused with quotaExceeded (25), and nothing is \
        lost.
        """,
      examples: [
        .init("Test how an app handles a full iCloud account", "ckdb account quota 1000"),
        .init("Go back", "ckdb account quota none"),
        .init("Limit the public database", "ckdb account quota 1000 -d public"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let store = try context.store()
    switch try context.settings.scope() {
    case .public: return try runPublic(arguments[bytes], store, context)
    case .shared:
      throw CommandError(
        "the shared database has no quota: a record counts towards its owner's", .usage)
    case .private: break
    }
    guard let account = try context.settings.account() else {
      throw CommandError("no account is signed in", .usage, hint: "choose an account with --user")
    }
    guard let quota = arguments[bytes] else {
      return try show(store.quota(of: account), context)
    }
    try store.set(quota: quota.bytes, of: account)
    context.report(
      "the quota of \(account.name) is \(quota.bytes.map { $0.counted("byte") } ?? "none")")
  }
}

extension AccountQuota {
  private static func show(_ quota: Int64?, _ context: Context) throws {
    guard context.settings.explicitFormat?.isJSON == true else {
      return context.output.line(quota.map { "\($0)" } ?? "none")
    }
    let value = quota.map { JSONValue.int($0) } ?? .null
    context.output.buffer.append(json: .object([JSONMember("quota", value)]))
    context.output.line("")
  }

  private static func runPublic(
    _ quota: QuotaSetting?, _ store: CloudStore, _ context: Context
  ) throws {
    let id = try context.containerID().id
    guard let quota else {
      return try show(store.publicQuota(of: id), context)
    }
    try store.set(publicQuota: quota.bytes, of: id)
    let text = quota.bytes.map { $0.counted("byte") } ?? "none"
    context.report("the quota of the public database of \(id.text) is \(text)")
  }
}

/// A number of bytes, or none.
struct QuotaSetting: Sendable {
  let bytes: Int64?

  /// Reads `200000`, `50MB`, `1.5 GB`: units are powers of 1,000, as Apple counts storage.
  static func bytes(_ word: String) -> Int64? {
    let number = word.prefix { $0.isNumber || $0 == "." }
    let unit = word.dropFirst(number.count).filter { $0 != " " }.lowercased()
    guard let power = ["", "kb", "mb", "gb", "tb"].firstIndex(of: unit == "b" ? "" : unit),
      let value = Double(number)
    else { return nil }
    return Int64(exactly: (0..<power).reduce(value) { bytes, _ in bytes * 1000 })
  }
}

extension ValueKind where Value == QuotaSetting {
  /// A number of bytes, with a unit or without, or `none`.
  static let quota = ValueKind<QuotaSetting>("BYTES", candidates: .words(["none"])) {
    (word) throws(ValueError) in
    if word == "none" { return QuotaSetting(bytes: nil) }
    guard let bytes = QuotaSetting.bytes(word) else {
      throw ValueError("expected a number of bytes (200000, 50MB, 5GB) or none, found '\(word)'")
    }
    return QuotaSetting(bytes: bytes)
  }
}

/// The account that is signed in: the saved user of the context.
private enum SignedIn {
  static func save(_ name: String, _ context: Context) throws {
    let store = try context.store()
    try store.changeContext { $0[GlobalOptions.user.name] = name }
    context.session.overrides[GlobalOptions.user.name] = nil
    if let found = try context.settings.find(GlobalOptions.user), found.origin != .saved {
      guard found.value != name, found.origin != .session else { return }
      context.warn("\(found.origin.text) still selects \(found.value)")
    }
  }
}

extension ValueKind where Value == Account {
  /// An account's name.
  static let account = ValueKind<Account>("NAME") { (word) throws(ValueError) in
    try checked { () throws(CloudError) in try Account(word) }
  }
}

extension ValueKind where Value == AccountStatus {
  /// An account status, by CloudKit's name.
  static let accountStatus = ValueKind<AccountStatus>(
    "STATUS", candidates: .words(AccountStatus.allCases.map(\.name))
  ) { (word) throws(ValueError) in
    guard let status = AccountStatus(name: word) else {
      throw ValueError.unknown(word, among: AccountStatus.allCases.map(\.name))
    }
    return status
  }
}
