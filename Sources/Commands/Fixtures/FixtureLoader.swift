internal import Basics
internal import CloudModel
internal import CloudServices
internal import SchemaLanguage
internal import WireFormat

/// Loads fixtures into stores: reads the files once, and resolves them for each store.
final class FixtureLoader {
  private let context: Context
  private var files: FixtureFiles
  /// How to treat existing records.
  var mode = FixtureLoad.Mode.upsert
  /// Whether to check only, without changes.
  var isRehearsal = false
  /// A schema that must cover everything, and its name.
  var target: (schema: Schema, name: String)?
  /// The container to load into; overrides the settings and the fixture.
  var container: ContainerID?
  /// A schema that applies before the fixture's own.
  var baseSchema: Schema?
  /// New fields that may be misspelt, after a rehearsal of a fixture that names no schema.
  private(set) var slips: [FieldSlip] = []
  /// Whether the loaded records depend on the time of loading.
  private var usesNow = false

  /// Reads files and directories. Settings that the current store saves apply only if it has been
  /// opened. Throws as `FixtureFiles` does.
  ///
  /// Files that the fixture names must be in its own folders or in `allowed`.
  init(_ paths: [String], allowed: [String] = [], _ context: Context) throws {
    self.context = context
    files = try FixtureFiles(paths, context)
    folders = try FixtureFolders(files.directories + allowed)
  }

  private let folders: FixtureFolders
  private var assets: [AssetSource: Asset] = [:]
  /// Notices about large assets, which a rehearsal reports, too.
  private var sizes: [Notice] = []

  /// The fixture's files, indexed by the source of a position.
  var sources: [String] { files.fixture.sources }

  /// All other files that were read: schemas, and the contents of assets.
  private(set) var companions: Set<String> = []

  /// A one-line description of a slip.
  func text(of slip: FieldSlip) -> String {
    "\(sources[slip.position.source]):\(slip.position.text): new field \(slip.field.text) of "
      + "\(slip.type); did you mean \(slip.near.text)?"
  }

  // MARK: Settings

  /// The container for the records: an option or a variable overrides the fixture.
  func containerID(in store: CloudStore) throws -> ContainerID {
    if let container { return container }
    let found = try context.settings.find(GlobalOptions.container)
    if let found, found.origin.isExplicit { return found.value }
    if let named = files.fixture.container { return named.value }
    if let found { return found.value }
    let all = try store.containers()
    if all.count <= 1 { return try all.first ?? ContainerID("iCloud.org.example.fixture") }
    return try context.containerID().id
  }

  /// The time at which the fixture freezes the clock; nil if it does not.
  var clock: Timestamp? { files.fixture.clock?.value }

  /// Whether values depend on the time of loading.
  var dependsOnTime: Bool {
    get throws { try usesNow && request().fixedClock == nil }
  }

  /// Whether loading fires subscriptions.
  var notifies = false

  /// The request; for clock and seed, an option or a variable overrides the fixture.
  func request() throws -> Request {
    var request = try context.request()
    request.notifies = notifies
    let clock = try context.settings.find(GlobalOptions.clock)
    if let named = files.fixture.clock, clock?.origin.isExplicit != true {
      request.fixedClock = named.value
    }
    let seed = try context.settings.find(GlobalOptions.seed)
    if let named = files.fixture.seed, seed?.origin.isExplicit != true {
      request.randomness = .seeded(named.value)
    }
    return request
  }

  private func environment(_ id: ContainerID, in store: CloudStore) throws -> CloudEnvironment {
    try context.environment(id, context.settings.environment(), in: store)
      .acting(for: request())
  }

  // MARK: Loading

  /// Loads the whole fixture into a store, or nothing. Throws `CloudError` for errors that are not
  /// the fixture's.
  func load(into store: CloudStore) throws -> FixtureSummary {
    try context.showingProgress(isRehearsal ? "check fixtures" : "load fixtures") { progress in
      try loadAll(into: store, progress.meter)
    }
  }

  private func loadAll(
    into store: CloudStore, _ meter: WorkMeter
  ) throws -> FixtureSummary {
    let id = try containerID(in: store)
    let request = try request()
    var load = try load(for: request)
    load.meter = meter
    let summary: FixtureSummary
    if try store.containers().contains(id) {
      summary = try environment(id, in: store).load(load)
    } else if let made = try store.create(
      id, filling: context.settings.environment(), with: load, for: request)
    {
      summary = made
      if !load.isRehearsal, made.faults.isEmpty {
        context.report("created container \(id.text)")
        try store.chooseFirst(id)
      }
    } else {
      // Another process has created it meanwhile.
      return try loadAll(into: store, meter)
    }
    usesNow = usesNow || summary.usesNow
    companions.formUnion(summary.assetFiles)
    context.reportSkipped(shares: files.fixture.skippedShares)
    if summary.faults.isEmpty { context.report(isRehearsal ? sizes : summary.notices) }
    return summary
  }

  private func load(for request: Request) throws -> FixtureLoad {
    var faults: [FixtureFault] = []
    let schemas = try readSchemas(&faults)
    var load = FixtureLoad { [self] types in
      if isRehearsal, files.fixture.schemas.isEmpty { slips = files.fixture.slips(beyond: types) }
      var resolver = resolver(by: types, for: request)
      return resolver.resolve(files.fixture)
    }
    if let baseSchema {
      load.schemas = [Placed(baseSchema, at: TextPosition(line: 1, column: 1))]
    }
    load.schemas += schemas
    load.targets = (target.map { [$0] } ?? []) + (faults.isEmpty ? ownTarget(load.schemas) : [])
    load.mode = mode
    load.isRehearsal = isRehearsal
    load.faults = faults
    load.sources = sources
    return load
  }

  /// The fixture's schemas as one that must cover everything. Without schemas there is no target,
  /// and the load creates types and fields as saves do.
  private func ownTarget(_ schemas: [Placed<Schema>]) -> [(schema: Schema, name: String)] {
    let names = files.fixture.schemas.map(\.value)
    if names.isEmpty { return [] }
    var schema = Schema(types: [.ofShares])
    for part in schemas { schema.formUnion(part.value) }
    return [(schema, names.joined(separator: " or "))]
  }

  /// Creates the resolver, which turns texts into records by known types.
  private func resolver(
    by types: [RecordTypeSchema], for request: Request
  ) -> FixtureResolver {
    let given = FixtureResolver.Conditions(
      now: request.now, seed: request.randomness.number(purpose: ["fixture"]) ?? 0,
      directories: files.directories
    ) { [self] (source) throws(CloudError) in try asset(of: source, for: request) }
    return FixtureResolver(types, given)
  }

  /// The asset of a source, whose contents are read once.
  private func asset(
    of source: AssetSource, for request: Request
  ) throws(CloudError) -> Asset {
    if let known = assets[source] { return known }
    if case .file(let path) = source { try folders.check(path) }
    let asset = try source.asset()
    if let notice = try request.check(asset) { sizes.append(notice) }
    assets[source] = asset
    return asset
  }

  /// Whether the files have zones or people, and not only records.
  var hasZones: Bool { !files.fixture.zones.isEmpty || !files.fixture.people.isEmpty }

  /// The records resolved by a schema, without a store, and the faults of their texts.
  func records(
    by schema: Schema
  ) throws -> (records: [FixtureRecord], faults: [FixtureFault]) {
    var resolver = try resolver(by: schema.types, for: request())
    let resolution = resolver.resolve(files.fixture)
    return (resolution.zones.flatMap(\.records), resolution.faults)
  }

  // MARK: Comparing

  /// Compares a store with the fixture. Throws `CloudError` for errors that are not the fixture's.
  func compare(
    with store: CloudStore, _ options: ComparisonOptions
  ) throws -> FixtureComparisonResult {
    let environment = try environment(containerID(in: store), in: store)
    var resolver = try resolver(by: environment.fullSchema().types, for: request())
    resolver.allowsMatchers = true
    let resolution = resolver.resolve(files.fixture)
    guard resolution.faults.isEmpty else {
      var result = FixtureComparisonResult()
      result.faults = resolution.faults
      return result
    }
    return try environment.database(.private).compare(
      with: resolution.zones, resolution.people, options)
  }

  private func path(of schema: Placed<String>) -> String {
    FileSystem.path(schema.value, in: files.directories[schema.position.source])
  }

  private func readSchemas(_ faults: inout [FixtureFault]) throws -> [Placed<Schema>] {
    var schemas: [Placed<Schema>] = []
    for named in files.fixture.schemas {
      let path = path(of: named)
      companions.insert(path)
      do {
        try folders.check(path)
        let text = try SchemaFile.text(path, context)
        do throws(SchemaError) {
          schemas.append(Placed(try SchemaParser.parse(text), at: named.position))
        } catch {
          let place = TextPosition(
            line: error.position.line, column: error.position.column,
            source: files.addSource(path))
          faults.append(FixtureFault(error.message, at: place, remedy: error.remedy))
        }
      } catch let error as SystemError {
        faults.append(
          FixtureFault(CloudError(.assetFileNotFound, error.description), at: named.position))
      } catch let error as CloudError {
        faults.append(FixtureFault(error, at: named.position))
      } catch let error as CommandError {
        faults.append(FixtureFault(error.text, at: named.position))
      }
    }
    return schemas
  }
}
