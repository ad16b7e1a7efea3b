internal import CloudModel
@_exported public import Foundation

extension ZoneModifying.Results {
  fileprivate var outcomes:
    (
      saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
      deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
    )
  {
    (
      Dictionary(saves, uniquingKeysWith: { $1 }), Dictionary(deletions, uniquingKeysWith: { $1 })
    )
  }
}

extension CKDatabase {
  // MARK: Saving and deleting

  /// Saves a zone; one that exists does not change (R2.9).
  @discardableResult
  public func save(_ zone: CKRecordZone) async throws -> CKRecordZone {
    let results = try await client.perform(
      .writing, ZoneModifying(zones: [zone], scope: scope).run)
    return try results.saves[0].1.get()
  }

  /// Saves a zone, and passes it or an error.
  @preconcurrency
  public func save(
    _ zone: CKRecordZone,
    completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
  ) {
    client.perform(.writing, ZoneModifying(zones: [zone], scope: scope).run) { results in
      let result = results.flatMap { $0.saves[0].1 }
      completionHandler(result.value, result.error)
    }
  }

  /// Deletes a zone with all its records; one that does not exist is success.
  @discardableResult
  public func deleteRecordZone(withID zoneID: CKRecordZone.ID) async throws -> CKRecordZone.ID {
    let results = try await client.perform(
      .writing, ZoneModifying(deletions: [zoneID], scope: scope).run)
    try results.deletions[0].1.get()
    return zoneID
  }

  /// Deletes a zone with all its records, and passes its identity or an error.
  @preconcurrency
  public func delete(
    withRecordZoneID zoneID: CKRecordZone.ID,
    completionHandler: @escaping @Sendable (CKRecordZone.ID?, (any Error)?) -> Void
  ) {
    client.perform(.writing, ZoneModifying(deletions: [zoneID], scope: scope).run) { results in
      let result = results.flatMap { $0.deletions[0].1 }
      completionHandler(result.value.map { zoneID }, result.error)
    }
  }

  /// Saves and deletes zones. Throws an error of the whole operation; those of items are in the
  /// results.
  public func modifyRecordZones(
    saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID]
  ) async throws -> (
    saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
    deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
  ) {
    try await client.perform(
      .writing,
      ZoneModifying(zones: recordZonesToSave, deletions: recordZoneIDsToDelete, scope: scope).run
    ).outcomes
  }

  /// Saves and deletes zones, and passes the results.
  @preconcurrency
  public func modifyRecordZones(
    saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID],
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
            deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
          ), any Error
        >
      ) -> Void
  ) {
    client.perform(
      .writing,
      ZoneModifying(zones: recordZonesToSave, deletions: recordZoneIDsToDelete, scope: scope).run
    ) { completionHandler($0.map(\.outcomes)) }
  }

  // MARK: Fetching

  /// Fetches a zone. Throws `zoneNotFound` if it does not exist.
  public func recordZone(for zoneID: CKRecordZone.ID) async throws -> CKRecordZone {
    try await client.perform(.reading, ZoneFetching(ids: [zoneID], scope: scope).run)[0].1.get()
  }

  /// Fetches a zone, and passes it or an error.
  @preconcurrency
  public func fetch(
    withRecordZoneID zoneID: CKRecordZone.ID,
    completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
  ) {
    client.perform(.reading, ZoneFetching(ids: [zoneID], scope: scope).run) { results in
      let result = results.flatMap { $0[0].1 }
      completionHandler(result.value, result.error)
    }
  }

  /// Fetches zones.
  public func recordZones(
    for ids: [CKRecordZone.ID]
  ) async throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
    Dictionary(
      try await client.perform(.reading, ZoneFetching(ids: ids, scope: scope).run),
      uniquingKeysWith: { $1 })
  }

  /// Fetches zones, and passes the results.
  @preconcurrency
  public func fetch(
    withRecordZoneIDs zoneIDs: [CKRecordZone.ID],
    completionHandler:
      @escaping @Sendable (
        Result<[CKRecordZone.ID: Result<CKRecordZone, any Error>], any Error>
      ) -> Void
  ) {
    client.perform(.reading, ZoneFetching(ids: zoneIDs, scope: scope).run) { result in
      completionHandler(result.map { Dictionary($0, uniquingKeysWith: { $1 }) })
    }
  }

  /// Fetches all zones of the database.
  public func allRecordZones() async throws -> [CKRecordZone] {
    try await client.perform(.reading, ZoneFetching(scope: scope).run).compactMap(\.1.value)
  }

  /// Fetches all zones of the database, and passes them or an error.
  @preconcurrency
  public func fetchAllRecordZones(
    completionHandler: @escaping @Sendable ([CKRecordZone]?, (any Error)?) -> Void
  ) {
    client.perform(.reading, ZoneFetching(scope: scope).run) { result in
      completionHandler(result.value?.compactMap(\.1.value), result.error)
    }
  }
}
