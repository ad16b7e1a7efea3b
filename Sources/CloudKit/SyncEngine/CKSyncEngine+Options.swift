@_exported public import Foundation

extension CKSyncEngine {
  /// What makes an engine synchronize.
  public enum SyncReason: Hashable, Sendable, CustomStringConvertible {
    /// The engine decided to.
    case scheduled
    /// The app called `fetchChanges` or `sendChanges`.
    case manual

    /// `scheduled` or `manual`.
    public var description: String { self == .manual ? "manual" : "scheduled" }
  }

  // MARK: Sending

  /// What to send.
  public struct SendChangesOptions: Sendable, CustomStringConvertible {
    /// The changes to send.
    public var scope: Scope
    /// The group of the engine's operations.
    public var operationGroup: CKOperationGroup

    /// Changes of an engine.
    public enum Scope: Equatable, Sendable, CustomStringConvertible {
      /// All pending changes.
      case all
      /// All but those of some zones.
      case allExcluding([CKRecordZone.ID])
      /// Those of some zones.
      case zoneIDs([CKRecordZone.ID])
      /// Those of some records.
      case recordIDs([CKRecord.ID])

      /// Whether a record's change is among them.
      public func contains(_ recordID: CKRecord.ID) -> Bool {
        if case .recordIDs(let ids) = self { return ids.contains(recordID) }
        return contains(recordID.zoneID)
      }

      /// Whether a pending change is among them.
      public func contains(_ pendingChange: PendingRecordZoneChange) -> Bool {
        contains(pendingChange.recordID)
      }

      /// Whether a zone must be saved or deleted with them.
      func contains(_ zoneID: CKRecordZone.ID) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let zones): !zones.contains(zoneID)
        case .zoneIDs(let zones): zones.contains(zoneID)
        case .recordIDs(let ids): ids.contains { $0.zoneID == zoneID }
        }
      }

      /// `all`, or what it names.
      public var description: String {
        switch self {
        case .all: "all"
        case .allExcluding(let zones): "all excluding \(zones.map(\.text))"
        case .zoneIDs(let zones): "zones \(zones.map(\.text))"
        case .recordIDs(let ids): "records \(ids.map(\.recordName))"
        }
      }
    }

    /// Options to send changes, by default all.
    public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
      (self.scope, self.operationGroup) = (scope, operationGroup ?? CKOperationGroup())
    }

    /// The scope.
    public var description: String { "scope=\(scope)" }
  }

  /// Why and what an engine sends.
  public struct SendChangesContext: Sendable, CustomStringConvertible {
    /// What made the engine send.
    public let reason: SyncReason
    /// What it sends.
    public let options: SendChangesOptions

    /// Reason and options.
    public var description: String { "reason=\(reason), \(options)" }
  }

  // MARK: Fetching

  /// What to fetch.
  public struct FetchChangesOptions: Sendable, CustomStringConvertible {
    /// The zones whose records to fetch.
    public var scope: Scope
    /// The group of the engine's operations.
    public var operationGroup: CKOperationGroup
    /// The zones to fetch first, in this order.
    public var prioritizedZoneIDs: [CKRecordZone.ID] = []

    /// Zones of a database.
    public enum Scope: Equatable, Sendable, CustomStringConvertible {
      /// All zones.
      case all
      /// All but some zones.
      case allExcluding([CKRecordZone.ID])
      /// Some zones.
      case zoneIDs([CKRecordZone.ID])

      /// Whether a zone is among them.
      public func contains(_ zoneID: CKRecordZone.ID) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let zones): !zones.contains(zoneID)
        case .zoneIDs(let zones): zones.contains(zoneID)
        }
      }

      /// `all`, or what it names.
      public var description: String {
        switch self {
        case .all: "all"
        case .allExcluding(let zones): "all excluding \(zones.map(\.text))"
        case .zoneIDs(let zones): "zones \(zones.map(\.text))"
        }
      }
    }

    /// Options to fetch changes, by default of all zones.
    public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
      (self.scope, self.operationGroup) = (scope, operationGroup ?? CKOperationGroup())
    }

    /// The scope.
    public var description: String { "scope=\(scope)" }
  }

  /// Why and what an engine fetches.
  public struct FetchChangesContext: Sendable, CustomStringConvertible {
    /// What made the engine fetch.
    public let reason: SyncReason
    /// What it fetches.
    public let options: FetchChangesOptions

    /// Reason and options.
    public var description: String { "reason=\(reason), \(options)" }
  }
}
