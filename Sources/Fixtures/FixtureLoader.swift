public import Basics
public import CloudModel
public import CloudServices
internal import SchemaLanguage
internal import WireFormat

/// Loads fixtures into stores: reads the files once, and resolves them for each store.
public final class FixtureLoader {
  private let settings: FixtureSettings
  private var files: FixtureFiles
  /// How to treat existing records.
  public var mode = FixtureLoad.Mode.upsert
  /// Whether to check only, without changes.
  public var isRehearsal = false
  /// A schema that must cover everything, and its name.
  public var target: (schema: Schema, name: String)?
  /// A schema that applies before the fixture's own.
  public var baseSchema: Schema?
  /// New fields that may be misspelt, after a rehearsal of a fixture that names no schema.
  public private(set) var slips: [FieldSlip] = []
  /// Whether the loaded records depend on the time of loading.
  private var usesNow = false

  /// Reads files and directories; the path `-` is `input`. Files that the fixture names must be in
  /// its own folders or in `allowed`.
  ///
  /// Throws `SystemError` if a file cannot be read, `EmptyFixtureDirectory` for a directory without
  /// fixtures, and the errors of `RecordFileReader` for a malformed fixture.
  public init(
    _ paths: [String], allowed: [String] = [], input: FileHandle? = nil,
    _ settings: FixtureSettings
  ) throws {
    self.settings = settings
    files = try FixtureFiles(paths, input: input, settings)
    folders = try FixtureFolders(files.directories + allowed)
  }

  private let folders: FixtureFolders
  private var assets: [AssetSource: Asset] = [:]
  /// Notices about large assets, which a rehearsal reports, too.
  private var sizes: [Notice] = []

  /// The fixture's files, indexed by the source of a position.
  public var sources: [String] { files.fixture.sources }

  /// All other files that were read: schemas, and the contents of assets.
  public private(set) var companions: Set<String> = []

  /// A one-line description of a slip.
  public func text(of slip: FieldSlip) -> String {
    "\(sources[slip.position.source]):\(slip.position.text): new field \(slip.field.text) of "
      + "\(slip.type); did you mean \(slip.near.text)?"
  }

  // MARK: Settings

  /// The container for the records; nil if neither the settings nor the fixture choose one of
  /// several.
  public func container(in store: CloudStore) throws(CloudError) -> ContainerID? {
    let named = files.fixture.container?.value
    let chosen = settings.container
    if let id = settings.overrides.contains(.container) ? chosen ?? named : named ?? chosen {
      return id
    }
    let all = try store.containers()
    return all.isEmpty
      ? try ContainerID("iCloud.org.example.fixture") : all.count == 1 ? all[0] : nil
  }

  /// The time at which the fixture freezes the clock; nil if it does not.
  public var clock: Timestamp? { files.fixture.clock?.value }

  /// Whether values depend on the time of loading.
  public var dependsOnTime: Bool { usesNow && request.fixedClock == nil }

  /// Whether loading fires subscriptions.
  public var notifies = false

  /// How many shares the fixture has that are not loaded.
  public var skippedShares: Int { files.fixture.skippedShares }

  /// The request with the fixture's clock and seed, where the settings do not override them.
  private var request: Request {
    var request = settings.request
    request.notifies = notifies
    if let named = files.fixture.clock, !settings.overrides.contains(.clock) {
      request.fixedClock = named.value
    }
    if let named = files.fixture.seed, !settings.overrides.contains(.seed) {
      request.randomness = .seeded(named.value)
    }
    return request
  }

  // MARK: Loading

  /// Loads the whole fixture into a container, or nothing. Throws `CloudError` for errors that are
  /// not the fixture's; the faults of the fixture are part of the summary. `open` returns the
  /// environment of a container that exists.
  public func load(
    into store: CloudStore, _ id: ContainerID, _ meter: WorkMeter? = nil,
    open: () throws -> CloudEnvironment
  ) throws -> FixtureSummary {
    let request = request
    var load = try load(for: request)
    load.meter = meter
    var summary: FixtureSummary
    if try store.containers().contains(id) {
      summary = try open().acting(for: request).load(load)
    } else if let made = try store.create(
      id, filling: settings.environment, with: load, for: request)
    {
      summary = made
      if !load.isRehearsal, made.faults.isEmpty { summary.createdContainer = id }
    } else {
      // Another process has created it meanwhile.
      return try self.load(into: store, id, meter, open: open)
    }
    usesNow = usesNow || summary.usesNow
    companions.formUnion(summary.assetFiles)
    if isRehearsal { summary.notices = sizes }
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

  /// Whether the files have zones or other entries, and not only records.
  public var hasZones: Bool { !files.fixture.zones.isEmpty || !files.fixture.entries.isEmpty }

  /// The records resolved by a schema, without a store, and the faults of their texts.
  public func records(
    by schema: Schema
  ) -> (records: [FixtureRecord], faults: [FixtureFault]) {
    var resolver = resolver(by: schema.types, for: request)
    let resolution = resolver.resolve(files.fixture)
    return (resolution.zones.flatMap(\.records), resolution.faults)
  }

  // MARK: Comparing

  /// Compares an environment with the fixture. Throws `CloudError` for errors that are not the
  /// fixture's.
  public func compare(
    with environment: CloudEnvironment, _ options: ComparisonOptions
  ) throws -> FixtureComparisonResult {
    let environment = environment.acting(for: request)
    var resolver = resolver(by: try environment.fullSchema().types, for: request)
    resolver.allowsMatchers = true
    let resolution = resolver.resolve(files.fixture)
    guard resolution.faults.isEmpty else {
      var result = FixtureComparisonResult()
      result.faults = resolution.faults
      return result
    }
    return try environment.database(.private).compare(
      with: resolution.zones, resolution.entries, options)
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
        let text = try SchemaText.read(path, FileHandle(open: path, 0))
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
      } catch let error as InvalidSchemaText {
        faults.append(FixtureFault(error.description, at: named.position))
      }
    }
    return schemas
  }
}
