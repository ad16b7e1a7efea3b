internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb container …`
enum ContainerNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("create", "Create a container", verb: { ContainerCreate.command }),
    CommandRow("list", "List the containers", verb: { ContainerList.command }),
    CommandRow("show", "Show a container", verb: { ContainerShow.command }),
    CommandRow(
      "set", "Change how a container compares strings", verb: { ContainerSet.command }),
    CommandRow(
      "delete", "Delete a container and everything in it", verb: { ContainerDelete.command }),
  ]
}

/// `ckdb container create ID`
enum ContainerCreate {
  static let id = Operand("ID", .container, "Identifier, starts with iCloud.")
  static let ifNotExists = Flag("if-not-exists", "Succeed if the container already exists")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(id)], options: [AnyOption(ifNotExists)],
      discussion: """
        A container has a development and a production environment, each with a public database \
        and one private database per user. The first container of a store becomes the saved one. \
        Creates the default store if there is none.
        """,
      examples: [.init("Create a container", "ckdb container create iCloud.com.example.app")],
      run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let id = arguments.required(id)
    let store = try storeToUse(context)
    guard try store.create(id, for: context.request()) else {
      if arguments[ifNotExists] {
        return context.report("container \(id.text) already exists")
      }
      throw CommandError(
        "container \(id.text) already exists", .cannotCreate,
        hint: "add --if-not-exists to ignore this")
    }
    context.report("created container \(id.text)")
    try store.chooseFirst(id)
  }

  private static func storeToUse(_ context: Context) throws -> CloudStore {
    let store = try context.anyStore()
    if try store.create() { context.report("created the store \(store.path)") }
    return store
  }
}

/// `ckdb container list`
enum ContainerList {
  static var command: Command<Context> {
    Command(examples: [.init("List the containers", "ckdb container list")]) { _, context in
      let output = try RowOutput(context, noun: "container", columns: ["container"])
      for id in try context.store().containers() { output.row([.string(id.text)]) }
      output.finish()
    }
  }
}

/// `ckdb container show [ID]`
enum ContainerShow {
  static let id = Operand("ID", .container, .optional, "Container (default: the current one)")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(id)],
      examples: [.init("Show the current container", "ckdb container show")], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let store = try context.store()
    let id = try arguments[id] ?? context.containerID().id
    let output = try RowOutput(
      context, noun: "environment",
      columns: [
        "container", "environment", "types", "zones", "records", "user", "stringCompare",
      ])
    let compare = try store.stringCompare(of: id)
    for environment in CloudModel.Environment.allCases {
      let open = try context.environment(id, environment, in: store)
      let size = try open.size()
      let user = try context.settings.account().map { open.userRecordName($0).text }
      output.row([
        .string(id.text), .string(environment.rawValue), .int(size.types), .int(size.zones),
        .int(size.records), user.map { .string($0) } ?? .null, .string(compare.rawValue),
      ])
    }
    output.finish()
  }
}

/// `ckdb container set string-compare VALUE`
enum ContainerSet {
  enum Setting: String, CaseIterable {
    case stringCompare = "string-compare"
  }

  static let setting = Operand(
    "SETTING", ValueKind<Setting>.choice("SETTING"), "Setting to change: string-compare")
  static let value = Operand(
    "VALUE", ValueKind<StringCompare>.choice("VALUE"),
    "case-sensitive (the default) or case-insensitive")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(setting), AnyOperand(value)],
      discussion: """
        Sets whether queries distinguish 'a' from 'A' in ==, !=, IN and list members. NSPredicate \
        does; according to the comments in Apple's CKQuery header, the server does not, except for \
        BEGINSWITH.
        """,
      examples: [
        .init(
          "Ignore case, as the comments in CKQuery.h describe",
          "ckdb container set string-compare case-insensitive")
      ]
    ) { arguments, context in
      let id = try context.containerID().id
      let value = arguments.required(value)
      try context.store().set(value, of: id)
      context.report("set string-compare of \(id.text) to \(value.rawValue)")
    }
  }
}

/// `ckdb container delete ID`
enum ContainerDelete {
  static let id = Operand("ID", .container, "Container to delete")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(id)],
      discussion: "A local extra: in CloudKit a container can never be deleted.",
      examples: [.init("Delete a container", "ckdb container delete iCloud.com.example.app --yes")]
    ) { arguments, context in
      let id = arguments.required(id)
      let store = try context.store()
      guard try store.containers().contains(id) else {
        return try store.delete(id, for: context.request())
      }
      try context.confirm("delete container \(id.text) and all its records")
      try store.delete(id, for: context.request())
      context.report("deleted container \(id.text)")
    }
  }
}

extension CloudStore {
  /// Saves a container as the current one if it is the store's first.
  func chooseFirst(_ id: ContainerID) throws {
    guard try containers().count == 1 else { return }
    try changeContext { $0[GlobalOptions.container.name] = id.text }
  }
}
