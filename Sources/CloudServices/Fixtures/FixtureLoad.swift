public import Basics
public import CloudModel
internal import RecordStore
internal import StoreHome

/// A fixture to load, with its options.
public struct FixtureLoad {
  /// Creates the records, given the types after the schemas are applied.
  public let resolve: ([RecordTypeSchema]) throws -> FixtureResolution
  /// Schemas whose types, fields and indexes are added, and their positions.
  public var schemas: [Placed<Schema>] = []
  /// Schemas that must each cover all records, with their names.
  public var targets: [(schema: Schema, name: String)] = []
  /// How existing records are treated.
  public var mode = Mode.upsert
  /// Whether everything is rolled back at the end.
  public var isRehearsal = false
  /// Known faults. If there are any, the load is only rehearsed, to find others.
  public var faults: [FixtureFault] = []
  /// The files, indexed by the sources of positions.
  public var sources: [String] = []
  /// Counts the records.
  public var meter: WorkMeter?

  /// A load of the records that `resolve` creates; the other options are set afterwards.
  public init(_ resolve: @escaping ([RecordTypeSchema]) throws -> FixtureResolution) {
    self.resolve = resolve
  }

  /// How existing records are treated.
  public enum Mode: String, Sendable, CaseIterable {
    /// The zones of the fixture get exactly its records.
    case clean
    /// Existing records of the fixture become as it says; others stay.
    case upsert
    /// Existing records of the fixture must already be as it says.
    case insert
  }
}

/// The result of a load.
public struct FixtureSummary: Sendable {
  /// Records that did not exist before.
  public var created = 0
  /// Records that existed with other contents.
  public var changed = 0
  /// Records that existed with equal contents.
  public var unchanged = 0
  /// Records that existed, but are not part of the fixture.
  public var deleted = 0
  /// Zones that were created.
  public var createdZones = 0
  /// Schema changes that were made.
  public var schemaChanges = 0
  /// The faults; if there are any, nothing was loaded.
  public var faults: [FixtureFault] = []
  /// Whether a value depends on the time of loading.
  public var usesNow = false
  /// The container, if the load created it.
  public var createdContainer: ContainerID?
  /// The files that the contents of assets come from.
  public var assetFiles: Set<String> = []
  /// The notices of the load.
  public var notices: [Notice] = []
  /// The people of the store after the load; nil for no change.
  var people: StorePeople?
  /// The entries of the fixture other than records.
  var entries = FixtureEntries()

  /// An empty summary.
  public init() {}

  /// Whether the store is unchanged.
  public var changesNothing: Bool {
    created + changed + deleted + createdZones + schemaChanges == 0
  }
}
