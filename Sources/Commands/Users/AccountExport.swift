internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import WireFormat

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// `ckdb account export NAME -o DIR`
enum AccountExport {
  static let name = Operand("NAME", .account, "Name of an account")
  static let output = Option("output", "o", .directory, "Directory to create")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(name)], options: [AnyOption(output)],
      discussion: """
        Writes everything that the store has about a person, readable without ckdb: the account, \
        its private records, the public records that it created, its shares, subscriptions, \
        notifications and keys of the key-value store, in all containers and environments, with \
        the contents of assets. index.html lists the files. The files are identical when nothing \
        has changed.
        """,
      examples: [.init("Answer a request for personal data", "ckdb account export anna -o anna")],
      run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let account = arguments.required(name)
    guard let directory = arguments[output] else {
      throw CommandError("--output is missing", .usage)
    }
    let store = try context.store()
    guard try store.accounts(for: context.request()).contains(account) else {
      throw CommandError(any: CloudError(.unknownItem, "no account '\(account.name)'"))
    }
    guard FileSystem.status(of: directory) == nil else {
      throw CommandError("\(directory) already exists", .cannotCreate)
    }
    // No reader sees a partial export.
    let draft = "\(directory).part-\(getpid())"
    do {
      let writer = PersonalDataWriter(account: account, directory: draft, context: context)
      try writer.write(store)
      guard rename(draft, directory) == 0 else { throw SystemError("write", directory) }
    } catch {
      try? FileSystem.remove(draft)
      if let error = error as? SystemError, !Interrupt.isRaised {
        throw CommandError(error.description, error.isDiskFull ? .inputOutput : .cannotCreate)
      }
      throw error
    }
    context.report("wrote \(directory)")
  }
}

/// Writes the files of one person.
private final class PersonalDataWriter {
  let account: Account
  let directory: String
  let context: Context
  private var files: [(path: String, about: String)] = []

  init(account: Account, directory: String, context: Context) {
    (self.account, self.directory, self.context) = (account, directory, context)
  }

  func write(_ store: CloudStore) throws {
    try FileSystem.makeDirectories(directory)
    try write("account.json", "names, addresses, contacts and devices", profile(store))
    for container in try store.containers() {
      for environment in CloudModel.Environment.allCases {
        let environment = try context.environment(container, environment, in: store)
        try environment.holdingAssets { try write(environment) }
      }
      try writeKeys(of: container, store)
      try store.holdingDocuments(in: container, for: context.request()) {
        try writeDocuments(of: container, store)
      }
    }
    try save("index.html", Array(index.utf8))
  }

  private func profile(_ store: CloudStore) throws -> JSONValue {
    let person = try store.person(of: account) ?? Person()
    let devices = try store.devices(for: context.request()).filter {
      $0.settings.account == account
    }
    var members = [
      JSONMember("account", .string(account.name)),
      JSONMember("status", .string(try store.status(of: account).name)),
    ]
    if let name = person.givenName { members.append(JSONMember("givenName", .string(name))) }
    if let name = person.familyName { members.append(JSONMember("familyName", .string(name))) }
    members += [
      JSONMember("emails", Self.list(person.emails)),
      JSONMember("phones", Self.list(person.phones)),
      JSONMember("contacts", Self.list(try store.contacts(of: account).map(\.text))),
      JSONMember("devices", Self.list(devices.map(\.device.name))),
    ]
    return .object(members)
  }

  /// Writes the keys that iCloud has, and those of each device, with their types.
  private func writeKeys(of container: ContainerID, _ store: CloudStore) throws {
    let data = try store.keyValueData(of: account, in: container, for: context.request())
    if data.isEmpty { return }
    let members = data.map { device, entries in
      JSONMember(
        device?.name ?? "iCloud",
        KeyValueJSON.object(
          entries.compactMap { entry in entry.value.map { .init(entry.key, $0) } }))
    }
    try write(
      "\(container.text)/key-values.json", "keys of the key-value store, by devices",
      .object(members))
  }

  /// Writes the documents with all their versions as files, and a list of them.
  private func writeDocuments(of container: ContainerID, _ store: CloudStore) throws {
    let documents = try store.documentData(of: account, in: container, for: context.request())
    if documents.isEmpty { return }
    let contents = try store.documentFiles(in: container, for: context.request())
    var list: [JSONValue] = []
    for (number, document) in documents.enumerated() {
      var members = [
        JSONMember("path", .string(document.path.text)),
        JSONMember("state", .string(document.state)),
        JSONMember("changed", .string(document.changed.text)),
      ]
      if let device = document.device { members.append(.init("device", .string(device.name))) }
      let folder = "\(container.text)/documents/\(number + 1)"
      for file in document.files {
        let place = "\(folder)/\(file.path.isEmpty ? document.path.name : file.path)"
        try FileSystem.makeDirectories(FileSystem.parent(of: "\(directory)/\(place)"))
        try OutputFile.write("\(directory)/\(place)") { target in
          try contents.copy(file.asset) { try target.write(all: $0) }
        }
      }
      members.append(JSONMember("folder", .string("documents/\(number + 1)")))
      list.append(.object(members))
    }
    try write("\(container.text)/documents.json", "documents and their versions", .array(list))
  }

  private static func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

  private func write(_ environment: CloudEnvironment) throws {
    let place = "\(environment.container.text)/\(environment.environment.rawValue)"
    try write("\(place)/users.json", "the user's own records") { write in
      try environment.usersRecords(of: account).forEach(write)
    }
    var assets: Set<Asset> = []
    for (isPublic, name, about) in [
      (false, "private.json", "private records"),
      (true, "public.json", "public records that the account created"),
    ] {
      try write("\(place)/\(name)", about) { write in
        try environment.forEachRecord(of: account, isPublic: isPublic) { record in
          try write(record)
          assets.formUnion(record.fields.entries.flatMap(\.value.assets))
        }
      }
    }
    for asset in assets { try write(asset, environment) }
    let push = try environment.pushData(of: account)
    if !push.subscriptions.isEmpty {
      try write(
        "\(place)/subscriptions.json", "subscriptions", .array(push.subscriptions.map(\.json)))
    }
    if !push.notifications.isEmpty {
      try write(
        "\(place)/notifications.json", "notifications that its devices were sent",
        .array(push.notifications.map(NotificationJSON.object)))
    }
    let shares = try environment.shares(of: account)
    guard !shares.isEmpty else { return }
    try write(
      "\(place)/shares.json", "shares of the account, and those it takes part in",
      .array(shares.map { ShareOutput.json($0) }))
  }

  /// Writes the records that `body` passes to its argument; no file if there are none.
  private func write(
    _ name: String, _ about: String, _ body: ((Record) throws -> Void) throws -> Void
  ) throws {
    let (draft, path) = ("\(directory)/records", "\(directory)/\(name)")
    var count = 0
    try OutputFile.write(draft) { file in
      let output = ByteOutput(file)
      try body { record in
        output.write(count == 0 ? "[" : ",\n ")
        output.buffer.append(plain: record)
        count += 1
      }
      output.line("]")
      output.flush()
      if let failure = output.failure { throw failure }
    }
    if count == 0 { return try FileSystem.remove(draft) }
    try FileSystem.makeDirectories(FileSystem.parent(of: path))
    guard rename(draft, path) == 0 else { throw SystemError("write", path) }
    files.append((name, "\(about) (\(count))"))
  }

  private func write(_ path: String, _ about: String, _ json: JSONValue) throws {
    try save(path, Array((json.text + "\n").utf8))
    files.append((path, about))
  }

  private func write(_ asset: Asset, _ environment: CloudEnvironment) throws {
    let path = "\(directory)/assets/\(asset.sha256)"
    if FileSystem.status(of: path) != nil { return }
    try FileSystem.makeDirectories(FileSystem.parent(of: path))
    try OutputFile.write(path) { try environment.copy(asset, to: $0) }
  }

  private func save(_ name: String, _ bytes: [UInt8]) throws {
    let path = "\(directory)/\(name)"
    try FileSystem.makeDirectories(FileSystem.parent(of: path))
    try OutputFile.write(path) { try $0.writeAll(bytes) }
  }

  private var index: String {
    let title = "Data of \(account.name.asMarkup)"
    let rows = files.map { file in
      "<li><a href=\"\(file.path.asMarkup)\">\(file.path.asMarkup)</a>: "
        + "\(file.about)</li>\n"
    }
    return """
      <!DOCTYPE html>
      <html lang="en">
      <meta charset="utf-8">
      <title>\(title)</title>
      <h1>\(title)</h1>
      <p>Records are JSON, one per line. The contents of assets are in <code>assets</code>, named by
      their SHA-256.</p>
      <ul>
      \(rows.joined())</ul>
      </html>

      """
  }
}
