/// A stored record zone.
public struct Zone: Sendable, Equatable {
  /// The zone's identity.
  public var id: ZoneID
  /// How many records it contains.
  public var recordCount: Int
  /// The sequence number of the last change in it; 0 for none.
  public var sequence: Int64
  /// The name of its zone-wide share, in zones that a database gives (R2.12); nil for none.
  public var share: RecordName?

  /// Creates a zone.
  public init(id: ZoneID, recordCount: Int, sequence: Int64) {
    self.id = id
    self.recordCount = recordCount
    self.sequence = sequence
  }

  /// Whether an operation in it saves all items or none (R4.4.1).
  public var isAtomic: Bool { !id.isDefault }

  /// The zone's capabilities: none for the default zone; fetchChanges 1, atomic 2, sharing 4 and
  /// zoneWideSharing 8 for a custom one (R2.6).
  public var capabilities: [String] {
    id.isDefault ? [] : ["fetchChanges", "atomic", "sharing", "zoneWideSharing"]
  }
}
