internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb key …`
enum KeyNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("add", "Add a server-to-server key", verb: { KeyAdd.command }),
    CommandRow("create", "Create a server-to-server key", verb: { KeyCreate.command }),
    CommandRow("list", "List the server-to-server keys", verb: { KeyList.command }),
    CommandRow("delete", "Delete server-to-server keys", verb: { KeyDelete.command }),
  ]

  /// Adds the public key that the server's program read or made, and prints its ID.
  static func add(_ publicKey: [UInt8], named name: String?, _ context: Context) throws {
    let store = try context.store()
    let key = try store.addServerKey(
      publicKey, named: name, to: context.containerID().id, context.settings.environment(),
      context.request())
    guard context.settings.explicitFormat != nil else { return context.output.line(key.id) }
    try write([key], context)
  }

  static func write(_ keys: [ServerKey], _ context: Context) throws {
    let output = try RowOutput(
      context, noun: "key",
      columns: ["keyID", "name", "container", "environment", "account", "userRecordName"])
    let store = try context.store()
    for key in keys {
      let environment = try store.environment(
        key.container, key.environment, for: context.request())
      output.row([
        .string(key.id), key.name.map { .string($0) } ?? .null, .string(key.container.text),
        .string(key.environment.rawValue), .string(key.account.name),
        .string(environment.userRecordName(key.account).text),
      ])
    }
    output.finish()
  }

  /// Runs the server's program for a task with keys; returns the public key that it prints.
  static func publicKey(_ task: String, _ path: String, _ context: Context) throws -> [UInt8] {
    let program = try CompanionProgram.server(context)
    context.surroundings.flush()
    let process = try ServingProcess(
      program.words(task, FileSystem.path(path, in: context.surroundings.workingDirectory)),
      context.surroundings.allVariables())
    let line = process.firstLine()
    let code = process.finish()
    guard code == 0, let key = line.flatMap({ Base64.decode($0) }) else {
      throw ChildEnd(code: code == 0 ? ExitCode.software.rawValue : code)
    }
    return key
  }
}

/// `ckdb key add FILE`
enum KeyAdd {
  static let file = Operand("FILE", .file, "Key in PEM: a public key, or the private one")
  static let name = Option("name", nil, ValueKind<String>.text("NAME"), "Name of the key")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(file)], options: [AnyOption(name)],
      discussion: """
        Registers the public key of a P-256 key for an environment of a container and prints its \
        key ID. Programs that sign their requests with the private key act as a user of their own \
        in the public database. The same key has another ID in each environment. Of a private key \
        only the public part is read. 'openssl ecparam -name prime256v1 -genkey -noout -out \
        ck.pem' makes one, and so does 'ckdb key create'.
        """,
      examples: [
        .init("Register a key of openssl", "ckdb key add ck.pem --name ci")
      ]
    ) { arguments, context in
      try KeyNoun.add(
        KeyNoun.publicKey("read-key", arguments.required(file), context),
        named: arguments[name], context)
    }
  }
}

/// `ckdb key create NAME -o FILE`
enum KeyCreate {
  static let name = Operand("NAME", ValueKind<String>.text("NAME"), "Name of the key")
  static let output = Option("output", "o", .file, "New file for the private key, in PEM")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(name)], options: [AnyOption(output)],
      discussion: """
        Makes a P-256 key, writes the private key to a new file with mode 0600, registers the \
        public key as 'ckdb key add' does and prints its key ID.
        """,
      examples: [.init("Create a key", "ckdb key create ci -o ci.pem")]
    ) { arguments, context in
      guard let path = arguments[output] else {
        throw CommandError(
          "'key create' needs --output", .usage, hint: "ckdb key create NAME -o FILE")
      }
      try KeyNoun.add(
        KeyNoun.publicKey("make-key", path, context), named: arguments.required(name), context)
    }
  }
}

/// `ckdb key list`
enum KeyList {
  static var command: Command<Context> {
    Command(
      discussion: "Lists the keys of all containers, each with the user that it acts as.",
      examples: [.init("List the keys", "ckdb key list")]
    ) { _, context in try KeyNoun.write(context.store().serverKeys(), context) }
  }
}

/// `ckdb key delete KEY…`
enum KeyDelete {
  static let keys = Operand("KEY", ValueKind<String>.text("KEY"), .oneOrMore, "Key ID, or name")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(keys)],
      discussion: "Deletes keys: requests that they sign are refused from now on.",
      examples: [.init("Delete a key by its name", "ckdb key delete ci")]
    ) { arguments, context in
      let store = try context.store()
      for key in arguments.all(keys) {
        try store.deleteServerKey(key)
        context.report("deleted key \(key)")
      }
    }
  }
}
