internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import Fixtures

// How commands load fixtures: under the settings of the command, with its progress and notices.

extension FixtureSettings {
  /// The settings of a command. What a store saves is part of them if the command has opened it.
  init(_ context: Context) throws {
    let settings = context.settings
    let container = try settings.find(GlobalOptions.container)
    self.init(
      try context.request(), environment: try settings.environment(),
      database: try settings.scope(), zone: try settings.namedZone() ?? .defaultZone,
      container: container?.value)
    if container?.origin.isExplicit == true { overrides.insert(.container) }
    if try settings.find(GlobalOptions.clock)?.origin.isExplicit == true {
      overrides.insert(.clock)
    }
    if try settings.find(GlobalOptions.seed)?.origin.isExplicit == true { overrides.insert(.seed) }
  }
}

extension FixtureLoader {
  /// Reads files and directories under the settings of a command. Throws `CommandError` for a
  /// directory without fixtures, else as the designated initializer.
  convenience init(
    _ paths: [String], allowed: [String] = [], container: ContainerID? = nil, _ context: Context
  ) throws {
    var settings = try FixtureSettings(context)
    if let container {
      settings.container = container
      settings.overrides.insert(.container)
    }
    do {
      try self.init(paths, allowed: allowed, input: context.surroundings.input, settings)
    } catch let error as EmptyFixtureDirectory {
      throw CommandError(
        "\(error.path) contains no fixtures", .noInput,
        hint: "fixture files end in .json, .jsonl, .csv, .tsv or .plist")
    }
  }

  /// Loads the whole fixture into a store, or nothing, with progress and notices.
  func load(into store: CloudStore, _ context: Context) throws -> FixtureSummary {
    let id = try container(in: store) ?? context.containerID().id
    let title = isRehearsal ? "check fixtures" : "load fixtures"
    let summary = try context.showingProgress(title) { progress in
      try load(into: store, id, progress.meter) {
        try context.environment(id, context.settings.environment(), in: store)
      }
    }
    if let id = summary.createdContainer {
      context.report("created container \(id.text)")
      try store.chooseFirst(id)
    }
    context.reportSkipped(shares: skippedShares)
    if summary.faults.isEmpty { context.report(summary.notices) }
    return summary
  }

  /// Compares a store with the fixture.
  func compare(
    with store: CloudStore, _ options: ComparisonOptions, _ context: Context
  ) throws -> FixtureComparisonResult {
    let id = try container(in: store) ?? context.containerID().id
    let environment = try context.environment(id, context.settings.environment(), in: store)
    return try compare(with: environment, options)
  }
}

extension TemporaryStore {
  /// A temporary store in `TMPDIR`. Throws `CommandError`.
  convenience init(_ context: Context) throws {
    let parent = context.surroundings.variable("TMPDIR") ?? "/tmp"
    do throws(SystemError) {
      try self.init(in: parent, .bySignals)
    } catch {
      throw CommandError(error.description, error.isDiskFull ? .inputOutput : .cannotCreate)
    }
  }

  /// Passes an empty store to `body` and removes it afterwards.
  static func with<Result>(
    _ context: Context, _ body: (CloudStore) throws -> Result
  ) throws -> Result {
    let temporary = try TemporaryStore(context)
    return try withExtendedLifetime(temporary) {
      _ = try temporary.store.create()
      return try body(temporary.store)
    }
  }
}
