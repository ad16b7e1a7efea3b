internal import CloudModel
@_exported public import Foundation

extension CKDatabase {
  /// The changes of zones.
  public enum DatabaseChange {
    /// A zone that is new or contains changes.
    public struct Modification: Hashable, Sendable {
      /// The zone.
      public let zoneID: CKRecordZone.ID
    }

    /// A zone that was deleted.
    public struct Deletion: Hashable, Sendable {
      /// Why a zone was deleted (R2.10).
      public enum Reason: Hashable, Sendable {
        /// A program deleted it.
        case deleted
        /// The user purged the app's data.
        case purged
        /// The keys of encrypted data were lost.
        case encryptedDataReset
      }

      /// The zone.
      public let zoneID: CKRecordZone.ID
      /// Why it was deleted.
      public let reason: Reason
      /// Whether the user purged the app's data.
      @available(*, deprecated, message: "use reason")
      public var purged: Bool { reason == .purged }
    }
  }

  /// The changes of records.
  public enum RecordZoneChange {
    /// A record that is new or changed.
    public struct Modification: Hashable, Sendable {
      /// The record.
      public let record: CKRecord
    }

    /// A record that was deleted.
    public struct Deletion: Hashable, Sendable {
      /// The record.
      public let recordID: CKRecord.ID
      /// Its type.
      public let recordType: CKRecord.RecordType
    }
  }

  // MARK: Zones

  /// Fetches the zones that changed after a token, or all. Throws `changeTokenExpired` for a token
  /// that is too old (R9.7).
  public func databaseChanges(
    since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil
  ) async throws -> (
    modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
    changeToken: CKServerChangeToken, moreComing: Bool
  ) {
    try await client.perform(.reading, changes(changeToken, resultsLimit).run).changes
  }

  /// Fetches the zones that changed after a token, and passes them.
  @preconcurrency
  public func fetchDatabaseChanges(
    since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
            changeToken: CKServerChangeToken, moreComing: Bool
          ), any Error
        >
      ) -> Void
  ) {
    client.perform(.reading, changes(changeToken, resultsLimit).run) {
      completionHandler($0.map(\.changes))
    }
  }

  private func changes(_ token: CKServerChangeToken?, _ limit: Int?) -> DatabaseChangesFetching {
    DatabaseChangesFetching(token: token, limit: limit, scope: scope)
  }

  // MARK: Records

  /// Fetches the records of a zone that changed after a token, or all. Throws `changeTokenExpired`
  /// for a token that is too old (R9.7).
  public func recordZoneChanges(
    inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
    desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil
  ) async throws -> (
    modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
    deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
  ) {
    try await client.perform(
      .reading, changes(zoneID, changeToken, desiredKeys, resultsLimit).run
    ).changes
  }

  /// Fetches the records of a zone that changed after a token, and passes them.
  @preconcurrency
  public func fetchRecordZoneChanges(
    inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
    desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            modificationResultsByID: [CKRecord.ID: Result<
              RecordZoneChange.Modification, any Error
            >],
            deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken,
            moreComing: Bool
          ), any Error
        >
      ) -> Void
  ) {
    client.perform(.reading, changes(zoneID, changeToken, desiredKeys, resultsLimit).run) {
      completionHandler($0.map(\.changes))
    }
  }

  private func changes(
    _ zoneID: CKRecordZone.ID, _ token: CKServerChangeToken?, _ keys: [String]?, _ limit: Int?
  ) -> ZoneChangesFetching {
    ZoneChangesFetching(
      zoneID: zoneID, token: token, desiredKeys: keys, limit: limit, scope: scope)
  }
}

extension DatabaseChangesFetching.Page {
  fileprivate var changes:
    (
      modifications: [CKDatabase.DatabaseChange.Modification],
      deletions: [CKDatabase.DatabaseChange.Deletion], changeToken: CKServerChangeToken,
      moreComing: Bool
    )
  {
    (
      changed.map { .init(zoneID: $0) },
      deleted.map { .init(zoneID: $0.zoneID, reason: .init($0.reason)) }, token, isMoreComing
    )
  }
}

extension CKDatabase.DatabaseChange.Deletion.Reason {
  init(_ reason: ZoneDeletionReason) {
    switch reason {
    case .deleted: self = .deleted
    case .purged: self = .purged
    case .encryptedDataReset: self = .encryptedDataReset
    }
  }
}

extension ZoneChangesFetching.Page {
  fileprivate var changes:
    (
      modificationResultsByID: [CKRecord.ID: Result<
        CKDatabase.RecordZoneChange.Modification, any Error
      >],
      deletions: [CKDatabase.RecordZoneChange.Deletion], changeToken: CKServerChangeToken,
      moreComing: Bool
    )
  {
    (
      Dictionary(
        changed.map { ($0, $1.map { .init(record: $0) }) }, uniquingKeysWith: { $1 }),
      deleted.map { .init(recordID: $0, recordType: $1) }, token, isMoreComing
    )
  }
}
