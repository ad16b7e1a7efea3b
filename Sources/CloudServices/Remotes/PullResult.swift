public import CloudModel

/// What a pull, or a part of one, did.
public struct PullResult: Sendable {
  /// Records that are new here.
  public var created = 0
  /// Records that were changed.
  public var changed = 0
  /// Records that were deleted.
  public var deleted = 0
  /// Records that are here already.
  public var unchanged = 0
  /// Zones that were created.
  public var createdZones = 0
  /// Zones that were deleted.
  public var deletedZones = 0
  /// Shares, which are counted and not pulled.
  public var shares = 0
  /// Records that were changed on both sides.
  public var conflicts: [PullConflict] = []
  /// Records that do not fit the schema.
  public var faults: [CloudError] = []
  /// New record types, and new fields of types that were here.
  public var inferred: [InferredSchema] = []

  /// Nothing.
  public init() {}

  /// Adds what another part did.
  public static func += (sum: inout PullResult, other: PullResult) {
    sum.created += other.created
    sum.changed += other.changed
    sum.deleted += other.deleted
    sum.unchanged += other.unchanged
    sum.createdZones += other.createdZones
    sum.deletedZones += other.deletedZones
    sum.shares += other.shares
    sum.conflicts += other.conflicts
    sum.faults += other.faults
    for found in other.inferred where !sum.inferred.contains(found) { sum.inferred.append(found) }
  }
}

/// A part of the schema that was inferred from a record.
public enum InferredSchema: Sendable, Equatable {
  /// A type.
  case type(RecordType)
  /// A field of a type that was here.
  case field(RecordType, FieldSchema)
}

/// A record that was changed here and on the server.
public struct PullConflict: Sendable, Hashable {
  /// The record.
  public var name: RecordName
  /// Its zone.
  public var zone: ZoneID
  /// What happened here.
  public var here: Change
  /// What happened there.
  public var there: Change

  /// What happened to a record on one side.
  public enum Change: String, Sendable {
    case created
    case changed
    case deleted
  }

  init(_ name: RecordName, in zone: ZoneID, here: Change, there: Change) {
    (self.name, self.zone, self.here, self.there) = (name, zone, here, there)
  }
}

/// A page of records of a server, with its assets here.
public struct PulledPage: Sendable {
  /// The zone.
  public var zone: ZoneID
  /// The type of a query; nil for a page of a feed.
  public var type: RecordType?
  /// The records and deletions.
  public var records: [RemoteRecord]
  /// The contents of their assets.
  public var assets: [RemoteFile: PulledAsset] = [:]
  /// Records that the server has, and whose answer cannot be read.
  public var unreadable: [RecordName] = []
  /// Where it goes on; nil keeps the former token.
  public var token: String?

  /// Creates a page.
  public init(_ zone: ZoneID, _ records: [RemoteRecord]) {
    (self.zone, self.records) = (zone, records)
  }
}

/// The contents of an asset of a server.
public enum PulledAsset: Sendable {
  /// They are in the store.
  case stored(Asset)
  /// They are in a file, which the page takes.
  case file(String)
}
