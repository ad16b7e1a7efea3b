public import CloudModel
internal import RecordStore

/// What a push would do in one zone.
public struct PushPlan: Sendable {
  /// The zone.
  public let zone: ZoneID
  /// Whether the server does not have the zone, as far as is known.
  public var isNewZone = false
  /// Whether the zone was deleted here.
  public var isDeletedZone = false
  /// The token of the zone's feed at the last pull.
  public var zoneToken: String?
  /// Records to create and to update, targets before the records that refer to them.
  public var saves: [PlannedSave] = []
  /// Records that were deleted here and created again with another type: they are deleted first.
  public var replacements: [PlannedDeletion] = []
  /// Records to delete, which were deleted here.
  public var deletions: [PlannedDeletion] = []
  /// Records that were changed here, and whose version on the server was not taken over.
  public var conflicts: [PullConflict] = []
  /// How many records of each type the server has, as far as is known.
  public var known: [RecordType: Int] = [:]
  /// How many shares were made here: they cannot be pushed.
  public var shares = 0
  /// Encrypted fields with values that cannot be pushed, and the records that have them.
  public var encrypted: [EncryptedField: Int] = [:]

  init(_ zone: ZoneID) { self.zone = zone }

  /// Whether there is nothing to do.
  public var isEmpty: Bool {
    !isDeletedZone && saves.isEmpty && deletions.isEmpty && conflicts.isEmpty
  }

  /// Whether it changes and deletes nothing that the server is known to have.
  public var isAllNew: Bool { deletions.isEmpty && saves.allSatisfy { $0.tag == nil } }

  /// The types of which more than a tenth would be deleted; with `areMany` all with deletions.
  public func massDeletions(areMany: Bool) -> [(type: RecordType?, count: Int)] {
    var counts: [RecordType?: Int] = [:]
    for deletion in deletions { counts[deletion.type, default: 0] += 1 }
    return counts.filter { type, count in
      areMany || count * 10 > type.flatMap { known[$0] } ?? 0
    }.map { (type: $0.key, count: $0.value) }
      .sorted { ($0.type?.text ?? "") < ($1.type?.text ?? "") }
  }

  /// More deletions than this are many.
  public static let mostDeletions = 100
}

/// A field that is encrypted.
public struct EncryptedField: Sendable, Hashable {
  /// The type.
  public let type: RecordType
  /// The field.
  public let field: FieldName
}

/// A record that a push creates or updates.
public struct PlannedSave: Sendable {
  /// The record's name.
  public let name: RecordName
  /// Its type.
  public let type: RecordType
  /// The tag of the version that the update is based on; nil for a record that is created.
  public var tag: String?
}

/// A record that a push deletes.
public struct PlannedDeletion: Sendable {
  /// The record's name.
  public let name: RecordName
  /// Its type; nil if it was dropped.
  public let type: RecordType?
  /// The tag of the version that was deleted here.
  public let tag: String
  /// Whether another record has the name here.
  public var isReplaced = false
}

/// A record that is sent, as it is when it is read for that.
public struct SentRecord: Sendable {
  /// The record.
  public let record: Record
  /// The fields of its type.
  public let fields: [FieldSchema]
  /// The fields of its type without a value, which an update removes.
  public let absent: [FieldName]
  /// Whether its assets are those that the server has.
  public let hasKnownAssets: Bool
  /// The sequence number of this version.
  let sequence: Int64
  let sum: ContentSum
}
