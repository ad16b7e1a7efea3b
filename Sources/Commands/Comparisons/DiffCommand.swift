internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import Fixtures

/// `ckdb diff A [B]`
enum DiffCommand {
  static let sides = Operand(
    "A", ValueKind<String>.text("SIDE", candidates: .files), .oneOrMore,
    "Store directory, fixture or snapshot name; the second defaults to this store")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(sides)],
      options: [
        AnyOption(AssertCommand.ignore), AnyOption(FixtureOptions.allowed),
        AnyOption(FixtureOptions.junit),
      ],
      discussion: """
        Shows the changes from A to B: zones, records and fields of the public database and of all \
        private databases, accounts, devices and shares. Each side is a store directory, a file or \
        directory of fixtures, or a snapshot of this store; B defaults to this store. The exit \
        code is 1 if there are differences.
        """,
      examples: [
        .init("Show the changes since a snapshot", "ckdb diff seeded"),
        .init("Compare fixtures", "ckdb diff old.json new.json --json"),
      ]
    ) { arguments, context in
      let words = arguments.all(sides)
      guard words.count <= 2 else {
        throw CommandError("at most two sides can be compared", .usage)
      }
      try compare(words[0], words.count == 2 ? words[1] : nil, arguments, context)
    }
  }

  /// Compares two sides and shows the differences; nil is the current store. Throws `QuietExit` if
  /// there are any.
  static func compare(
    _ old: String, _ new: String?, areSnapshots: Bool = false, _ arguments: Arguments,
    _ context: Context
  ) throws {
    // The store has the saved settings.
    try context.storeIfAny()
    var one = try Side(old, isSnapshot: areSnapshots, context)
    var other = try Side(new, isSnapshot: areSnapshots, context)
    if !areSnapshots {
      (one.allowed, other.allowed) = (
        arguments.all(FixtureOptions.allowed), arguments.all(FixtureOptions.allowed)
      )
    }
    let id = try container(of: [other, one], context)
    let ignored = AssertCommand.ignored(arguments)
    let report = try DifferenceReport(
      expected: one.name, found: other.name, suite: "diff",
      asJUnit: arguments[FixtureOptions.junit], context)
    try one.with(context, id, schemaOf: other) { old in
      try other.with(context, id, schemaOf: one) { new in
        try old.differences(from: new, ignoring: ignored) { report.write($0) }
      }
    }
    report.finish()
    guard report.count == 0 else {
      context.report(report.count.counted("difference"))
      throw QuietExit(code: .no)
    }
    context.report("no differences")
  }

  /// The container to compare: the named one, or else that of the first side that has one. A side
  /// without it has no records.
  private static func container(of sides: [Side], _ context: Context) throws -> ContainerID {
    if let named = try context.settings.find(GlobalOptions.container), named.origin.isExplicit {
      let all = try sides.flatMap { try $0.containers() ?? [named.value] }
      guard all.contains(named.value) else {
        throw CloudError(.badContainer, "Container '\(named.value.text)' does not exist")
      }
      return named.value
    }
    for side in sides {
      if let id = try side.container(context) { return id }
    }
    return try ContainerID("iCloud.org.example.fixture")
  }
}

/// A side of a comparison.
private struct Side {
  let name: String
  /// Folders whose files a fixture may name, in addition to its own.
  var allowed: [String] = []
  private let place: Place

  private enum Place {
    case store(CloudStore)
    case fixture(String)
  }

  /// Finds a path or else a snapshot (with `isSnapshot` only that); nil is the current store.
  init(_ word: String?, isSnapshot: Bool, _ context: Context) throws {
    guard let word else {
      name = "store"
      place = .store(try context.store())
      return
    }
    name = word
    if isSnapshot {
      place = .store(try context.store().snapshot(SnapshotName(word)))
    } else if word == "-" || FileSystem.exists(word) {
      let store = context.session.store(at: word)
      place = store.exists ? .store(store) : .fixture(word)
    } else if let snapshot = try? SnapshotName(word), try context.anyStore().exists,
      try context.store().snapshotNames().contains(snapshot)
    {
      place = .store(try context.store().snapshot(snapshot))
    } else {
      throw CommandError("'\(word)' is not a store, fixture or snapshot", .noInput)
    }
  }

  /// The containers of a store; nil for a fixture.
  func containers() throws -> [ContainerID]? {
    guard case .store(let store) = place else { return nil }
    return try store.containers()
  }

  /// The current container of a store; nil if it has no containers, and for a fixture.
  func container(_ context: Context) throws -> ContainerID? {
    guard case .store(let store) = place, try !store.containers().isEmpty else { return nil }
    return try context.containerID(in: store)
  }

  /// The environment of a store; nil for a fixture and for a missing container.
  private func environment(
    _ context: Context, _ id: ContainerID
  ) throws -> CloudEnvironment? {
    guard case .store(let store) = place, try store.containers().contains(id) else { return nil }
    return try context.environment(id, context.settings.environment(), in: store)
  }

  /// Passes the records to `body` as a database. A fixture is loaded into a temporary store with
  /// the schema of the other side.
  func with<Result>(
    _ context: Context, _ id: ContainerID, schemaOf other: Side,
    _ body: (CloudDatabase) throws -> Result
  ) throws -> Result {
    if let environment = try environment(context, id) {
      return try body(environment.database(.private))
    }
    return try TemporaryStore.with(context) { store in
      if case .fixture(let path) = place { try load(path, into: store, id, other, context) }
      if try !store.containers().contains(id) { _ = try store.create(id, for: context.request()) }
      let environment = try store.environment(
        id, context.settings.environment(), for: context.request())
      return try body(environment.database(.private))
    }
  }

  private func load(
    _ path: String, into store: CloudStore, _ id: ContainerID, _ other: Side, _ context: Context
  ) throws {
    let loader = try FixtureLoader([path], allowed: allowed, container: id, context)
    loader.baseSchema = try other.environment(context, id)?.fullSchema()
    let summary = try context.quietly { try loader.load(into: store, context) }
    guard summary.faults.isEmpty else {
      let report = FixtureReport(faults: summary.faults, sources: loader.sources)
      throw try report.refusal("nothing was compared", of: "diff", asJUnit: false, context)
    }
  }
}

/// `ckdb snapshot diff NAME [NAME]`
enum SnapshotDiff {
  static let names = Operand(
    "NAME", .snapshot, .oneOrMore, "One or two snapshots; the second defaults to the store")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(names)],
      options: [AnyOption(AssertCommand.ignore), AnyOption(FixtureOptions.junit)],
      discussion: "Works like 'ckdb diff' on snapshots.",
      examples: [.init("Show the changes since a snapshot", "ckdb snapshot diff seeded")]
    ) { arguments, context in
      let names = arguments.all(names).map(\.text)
      guard names.count <= 2 else {
        throw CommandError("at most two snapshots can be compared", .usage)
      }
      try DiffCommand.compare(
        names[0], names.count == 2 ? names[1] : nil, areSnapshots: true, arguments, context)
    }
  }
}
