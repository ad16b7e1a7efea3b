public import CloudModel

/// Records to save and to delete in one operation (R4.4), in their order.
public struct ModifyRequest: Sendable {
  /// What is done, record by record.
  public var items: [Item]
  /// Whether a zone saves all items or none: by the zone's capability (nil), in
  /// every zone (a local extra in the default zone), or in none.
  public var isAtomic: Bool?
  /// What the client wants to be told again by the next changes of each zone in which an item of
  /// this operation succeeds (`clientChangeTokenData`, R4.4.16).
  public var clientToken: String?
  /// Whether CloudKit's limits of an operation hold (R3.5).
  public var isLimited = true

  /// What is done to one record.
  public struct Item: Sendable {
    /// The record's zone.
    public var zone: ZoneID
    /// What is done.
    public var change: Change

    /// Puts an item together.
    public init(_ change: Change, in zone: ZoneID) {
      self.change = change
      self.zone = zone
    }

    /// The record's name, where it has one already.
    public var name: RecordName? {
      switch change {
      case .save(let request): request.name
      case .delete(let name, _): name
      case .refused(let error): error.recordName.map { RecordName(stored: $0) }
      }
    }
  }

  /// A change of one record. A million of them are one operation (`record delete --where`), so that
  /// each is small.
  public enum Change: Sendable {
    /// Saves it.
    indirect case save(SaveRequest)
    /// Deletes it; with a tag it must be that version.
    case delete(RecordName, tag: ChangeTag?)
    /// What could not be read as a record: it fails with its error, among the others.
    indirect case refused(CloudError)
  }

  /// Puts an operation together.
  public init(_ items: [Item], isAtomic: Bool? = nil) {
    self.items = items
    self.isAtomic = isAtomic
  }
}

/// What became of the deletion of one record.
public struct DeleteResult: Sendable {
  /// Whether there was a record of that name.
  public var isDeleted: Bool
  /// The notices of the operation.
  public var notices: [Notice]
}

/// What became of the items of an operation, in their order.
public struct ModifyResult: Sendable {
  /// One for each item.
  public var outcomes: [Outcome]
  /// The notices of the operation.
  public var notices: [Notice] = []

  /// What became of an item.
  public enum Outcome: Sendable {
    indirect case saved(SaveResult)
    /// Deleted; false when no record had the name, which is success (R4.4.14).
    case deleted(Bool)
    indirect case failed(CloudError)

    var isFailure: Bool { if case .failed = self { true } else { false } }
  }

  /// The failures, in their order.
  public var failures: [CloudError] {
    outcomes.compactMap { if case .failed(let error) = $0 { error } else { nil } }
  }

  /// The saved records, in their order.
  public var saved: [SaveResult] {
    outcomes.compactMap { if case .saved(let result) = $0 { result } else { nil } }
  }

  /// How many records were there and are deleted; those that died with them are not told (R4.4.9).
  public var deletedCount: Int {
    outcomes.count { if case .deleted(true) = $0 { true } else { false } }
  }

  /// The operation's error: `partialFailure` with the failed items (R4.4.6); nil for none.
  public var error: CloudError? {
    let failures = failures
    guard !failures.isEmpty else { return nil }
    var error = CloudError(.partialFailure, "Failed to modify some records")
    error.items = failures
    return error
  }
}
