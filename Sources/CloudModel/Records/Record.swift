/// A record: its identity, its system fields and its values.
public struct Record: Sendable, Equatable {
  /// The record's name.
  public var name: RecordName
  /// The record's type, which never changes.
  public var type: RecordType
  /// The zone that it is in.
  public var zone: ZoneID
  /// The record that this one belongs to when it is shared (R5.8).
  public var parent: RecordName?
  /// The share that it takes part in; set by the store.
  public var share: RecordName?
  /// The version; nil before the first save.
  public var changeTag: ChangeTag?
  /// When and by whom it was made; nil before the first save.
  public var created: Stamp?
  /// When and by whom it was last saved; nil before the first save.
  public var modified: Stamp?
  /// The values.
  public var fields: RecordFields

  /// A record that is not yet in the store.
  public init(
    name: RecordName, type: RecordType, zone: ZoneID, fields: RecordFields = .init(),
    parent: RecordName? = nil
  ) {
    self.name = name
    self.type = type
    self.zone = zone
    self.fields = fields
    self.parent = parent
  }

  /// A moment, the user who acted, and his device.
  public struct Stamp: Sendable, Equatable {
    /// When.
    public var at: Timestamp
    /// Who, by his user record name in the container.
    public var by: UserRecordName
    /// On which device.
    public var device: Device

    /// Puts a stamp together.
    public init(at: Timestamp, by: UserRecordName, on device: Device = .cli) {
      self.at = at
      self.by = by
      self.device = device
    }
  }
}
