public import CloudModel

/// Records to save and to delete in one operation (R4.4), in their order.
public struct ModifyRequest: Sendable {
  /// The changes, record by record.
  public var items: [Item]
  /// Whether a zone saves all items or none: by the zone's capability (nil), in every zone (a local
  /// extra in the default zone), or in none.
  public var isAtomic: Bool?
  /// The client's token, returned with the next changes of each zone in which an item of this
  /// operation succeeds (`clientChangeTokenData`, R4.4.16).
  public var clientToken: String?
  /// Whether CloudKit's limits of an operation apply (R3.5).
  public var isLimited = true

  /// A change of one record in its zone.
  public struct Item: Sendable {
    /// The record's zone.
    public var zone: ZoneID
    /// The change.
    public var change: Change

    /// Creates an item.
    public init(_ change: Change, in zone: ZoneID) {
      self.change = change
      self.zone = zone
    }

    /// The record's name, if it already has one.
    public var name: RecordName? {
      switch change {
      case .save(let request): request.name
      case .delete(let name, _): name
      case .refused(let error): error.recordName.map { RecordName(stored: $0) }
      }
    }
  }

  /// A change of one record. One operation may have a million (`record delete --where`), so each is
  /// small.
  public enum Change: Sendable {
    /// Saves the record.
    indirect case save(SaveRequest)
    /// Deletes the record; with a tag it must be that version.
    case delete(RecordName, tag: ChangeTag?)
    /// A record that could not be read: it fails with its error, among the others.
    indirect case refused(CloudError)
  }

  /// Creates an operation.
  public init(_ items: [Item], isAtomic: Bool? = nil) {
    self.items = items
    self.isAtomic = isAtomic
  }
}

/// The result of deleting one record.
public struct DeleteResult: Sendable {
  /// Whether there was a record of that name.
  public var isDeleted: Bool
  /// The notices of the operation.
  public var notices: [Notice]
}

/// The results of the items of an operation, in their order.
public struct ModifyResult: Sendable {
  /// The outcome of each item.
  public var outcomes: [Outcome]
  /// The notices of the operation.
  public var notices: [Notice] = []

  /// The outcome of an item.
  public enum Outcome: Sendable {
    indirect case saved(SaveResult)
    /// Deleted; false if no record had the name, which is success (R4.4.14).
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

  /// How many existing records were deleted, without those that cascades deleted (R4.4.9).
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
