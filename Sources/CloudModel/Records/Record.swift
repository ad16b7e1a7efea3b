/// A record: its identity, its system fields and its values.
public struct Record: Sendable, Equatable {
  /// The record's name.
  public var name: RecordName
  /// The record's type, which never changes.
  public var type: RecordType
  /// The zone that it is in.
  public var zone: ZoneID
  /// The record that it belongs to when shared (R5.8).
  public var parent: RecordName?
  /// The share that covers it; set by the store.
  public var share: RecordName?
  /// The version; nil before the first save.
  public var changeTag: ChangeTag?
  /// When and by whom it was created; nil before the first save.
  public var created: Stamp?
  /// When and by whom it was last saved; nil before the first save.
  public var modified: Stamp?
  /// The values.
  public var fields: RecordFields

  /// Creates a record that is not in the store yet.
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

  /// A time, a user and the user's device.
  public struct Stamp: Sendable, Equatable {
    /// The time.
    public var at: Timestamp
    /// The user, by user record name in the container.
    public var by: UserRecordName
    /// The device.
    public var device: Device

    /// Creates a stamp.
    public init(at: Timestamp, by: UserRecordName, on device: Device = .cli) {
      self.at = at
      self.by = by
      self.device = device
    }
  }
}
