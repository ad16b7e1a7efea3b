public import CloudModel

/// How a save treats what is in the store (R4.1).
public enum SavePolicy: String, Sendable, CaseIterable {
  /// Only when the stored record is the version that the tag names; no tag is a new record.
  case unchanged
  /// The given fields over whatever is stored.
  case changed
  /// The same from a whole record: fields that it does not have stay (R4.1.3).
  case all
}

/// One record to save.
public struct SaveRequest: Sendable {
  /// The record's name; nil for a new UUID.
  public var name: RecordName?
  /// The record's type.
  public var type: RecordType
  /// The values to set and to remove.
  public var assignments: [FieldAssignment]
  /// The version that the caller started from.
  public var tag: ChangeTag?
  /// What to do with what is stored.
  public var policy: SavePolicy
  /// Whether fields that are not given lose their values (Web Services `replace`, R4.2.4).
  public var replacesFields: Bool
  /// A new parent; nil leaves the parent alone, unless `removesParent`.
  public var parent: RecordName?
  /// The zone of the new parent, where the caller names it; it must be the record's own (R5.11).
  public var parentZone: ZoneID?
  /// Whether a parent that is stored goes, as it does where fields that are not given do.
  public var removesParent: Bool

  /// Puts a request together.
  public init(
    name: RecordName?, type: RecordType, assignments: [FieldAssignment], tag: ChangeTag? = nil,
    policy: SavePolicy = .unchanged, replacesFields: Bool = false, parent: RecordName? = nil,
    removesParent: Bool = false
  ) {
    self.name = name
    self.type = type
    self.assignments = assignments
    self.tag = tag
    self.policy = policy
    self.replacesFields = replacesFields
    self.parent = parent
    self.removesParent = parent == nil && (removesParent || replacesFields)
  }
}

/// A value to set, or to remove.
public struct FieldAssignment: Sendable {
  /// The field.
  public var name: FieldName
  /// The new value; nil removes it (R3.4.1).
  public var value: FieldValue?
  /// The type that was written with the value; it makes a new field of that type, also for an
  /// empty list, and must be the type of a known one.
  public var type: FieldType?
  /// Contents that come with the save.
  public var staged: [StagedAsset]
  /// Whether the value comes from plain JSON, which shows dates and bytes as texts: it is read
  /// again as its field's type.
  public var isPlain: Bool

  /// Sets a value.
  public init(
    _ name: FieldName, _ value: FieldValue?, type: FieldType? = nil, staged: [StagedAsset] = [],
    isPlain: Bool = false
  ) {
    self.name = name
    self.value = value
    self.type = type
    self.staged = staged
    self.isPlain = isPlain
  }
}

/// What a save did.
public struct SaveResult: Sendable {
  /// The record as it is in the store now.
  public var record: Record
  /// Whether it was there before.
  public var outcome: Outcome
  /// The notices of the operation; empty within a batch, whose own result has them.
  public var notices: [Notice] = []

  /// What became of a record.
  public enum Outcome: Sendable, Equatable {
    case created
    case changed
    case unchanged
  }
}
