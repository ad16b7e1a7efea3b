public import Basics
public import CloudModel
internal import RecordStore

/// A fixture that is to be loaded, and how.
public struct FixtureLoad {
  /// Makes the records by the types that there will be.
  public let resolve: ([RecordTypeSchema]) throws -> FixtureResolution
  /// Schemas whose types, fields and indexes are to be there, and where they are named.
  public var schemas: [Placed<Schema>] = []
  /// Schemas that each have to have everything, and their names.
  public var targets: [(schema: Schema, name: String)] = []
  /// What becomes of records that are there.
  public var mode = Mode.upsert
  /// Whether everything is taken back in the end.
  public var isRehearsal = false
  /// What is wrong with it already: then it is only rehearsed, for the other faults.
  public var faults: [FixtureFault] = []
  /// The files, by the sources of positions.
  public var sources: [String] = []
  /// Counts the records.
  public var meter: WorkMeter?

  /// A load of the records that `resolve` makes; everything else is set afterwards.
  public init(_ resolve: @escaping ([RecordTypeSchema]) throws -> FixtureResolution) {
    self.resolve = resolve
  }

  /// What becomes of records that are there.
  public enum Mode: String, Sendable, CaseIterable {
    /// The zones that the fixture names have its records and no others.
    case clean
    /// Records of the fixture's names become what it says; others stay.
    case upsert
    /// Records of the fixture's names must be what it says already.
    case insert
  }
}

/// What a load did.
public struct FixtureSummary: Sendable, Equatable {
  /// Records that were not there before.
  public var created = 0
  /// Records that were there with other contents.
  public var changed = 0
  /// Records that were there already, equal.
  public var unchanged = 0
  /// Records that were there, and are not part of the fixture.
  public var deleted = 0
  /// Zones that were made.
  public var createdZones = 0
  /// Steps that were taken in the schema.
  public var schemaChanges = 0
  /// What is wrong; nothing was loaded then.
  public var faults: [FixtureFault] = []
  /// Whether a value depends on the time of loading.
  public var usesNow = false
  /// The files that the contents of assets come from.
  public var assetFiles: Set<String> = []
  /// The notices of the load.
  public var notices: [Notice] = []
  /// The people of the store as they are to be; nil for no change.
  var people: StorePeople?
  /// The keys that the fixture has.
  var keyValues: [FixtureKeyValues] = []
  /// The documents that it has.
  var documents: [FixtureDocuments] = []

  /// Nothing yet.
  public init() {}

  /// Whether the store is as it was before.
  public var changesNothing: Bool {
    created + changed + deleted + createdZones + schemaChanges == 0
  }
}
