/// A record zone as it is in the store.
public struct Zone: Sendable, Equatable {
  /// Which zone it is.
  public var id: ZoneID
  /// How many records it holds.
  public var recordCount: Int
  /// The sequence number of the last change in it; 0 for none.
  public var sequence: Int64

  /// Puts the facts together.
  public init(id: ZoneID, recordCount: Int, sequence: Int64) {
    self.id = id
    self.recordCount = recordCount
    self.sequence = sequence
  }

  /// Whether an operation on it saves all items or none (R4.4.1).
  public var isAtomic: Bool { !id.isDefault }

  /// What the server lets a zone do: nothing special in the default zone, fetchChanges 1,
  /// atomic 2, sharing 4 and zoneWideSharing 8 in a custom one (R2.6).
  public var capabilities: [String] {
    id.isDefault ? [] : ["fetchChanges", "atomic", "sharing", "zoneWideSharing"]
  }
}
