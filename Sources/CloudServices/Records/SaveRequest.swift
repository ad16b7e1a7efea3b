public import CloudModel

/// How a save treats the stored record (R4.1).
public enum SavePolicy: String, Sendable, CaseIterable {
  /// Saves only if the tag names the stored version; without a tag, only a new record.
  case unchanged
  /// Saves the given fields over any stored version.
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
  /// The save policy.
  public var policy: SavePolicy
  /// Whether omitted fields lose their values (Web Services `replace`, R4.2.4).
  public var replacesFields: Bool
  /// The new parent; nil keeps the parent, unless `removesParent` is true.
  public var parent: RecordName?
  /// The zone of the new parent, if the caller names it; it must be the record's own (R5.11).
  public var parentZone: ZoneID?
  /// Whether a stored parent is removed, as with omitted fields.
  public var removesParent: Bool
  /// What the save of a share changes besides its record; nil for other records.
  public var share: ShareSave?

  /// Creates a request.
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
  /// The type that was written with the value; creates a new field of that type, even for an empty
  /// list, and must be the type of a known field.
  public var type: FieldType?
  /// Contents uploaded with the save.
  public var staged: [StagedAsset]
  /// Whether the value comes from plain JSON, where dates and bytes are texts: it is parsed again
  /// as its field's type.
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

/// The result of a save.
public struct SaveResult: Sendable {
  /// The record as it is now stored.
  public var record: Record
  /// Whether the record existed before.
  public var outcome: Outcome
  /// The notices of the operation; empty within a batch, whose own result has them.
  public var notices: [Notice] = []

  /// The outcome of a save.
  public enum Outcome: Sendable, Equatable {
    case created
    case changed
    case unchanged
  }
}
