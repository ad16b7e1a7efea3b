internal import CloudModel
internal import CloudServices
internal import Foundation

/// Saves and deletions of zones as one operation; each succeeds or fails on its own.
struct ZoneModifying: Sendable {
  var zones: [CKRecordZone] = []
  var deletions: [CKRecordZone.ID] = []
  var scope: DatabaseScope

  struct Results: Sendable {
    var saves: [(CKRecordZone.ID, Result<CKRecordZone, any Error>)] = []
    var deletions: [(CKRecordZone.ID, Result<Void, any Error>)] = []

    /// The failed items as one error; nil for none.
    var error: CKError? {
      let errors = Dictionary(failures: saves).merging(Dictionary(failures: deletions)) { $1 }
      return .partial("Failed to modify some record zones", errors)
    }
  }

  func run(_ client: Client, _ request: Request) throws -> Results {
    let database = try client.database(scope, for: request)
    var results = Results()
    for zone in zones {
      let result = Result<CKRecordZone, any Error> {
        try Self.item { () throws(CloudError) in
          let id = try zone.zoneID.zone()
          _ = try database.createZones([id])
          return CKRecordZone(try database.zone(id), zone.encryptionScope)
        }
      }
      try Self.rethrow(result)
      results.saves.append((zone.zoneID, result))
    }
    for zoneID in deletions {
      let result = Result<Void, any Error> {
        try Self.item { () throws(CloudError) in
          do throws(CloudError) { try database.deleteZone(zoneID.zone()) } catch {
            // CloudKit answers success for a zone that does not exist, to apps.
            guard error.code == .zoneNotFound else { throw error }
          }
        }
      }
      try Self.rethrow(result)
      results.deletions.append((zoneID, result))
    }
    return results
  }

  /// An error of the whole operation, and not of an item.
  private struct OfAll: Error {
    let error: CloudError
  }

  private static func item<T>(_ work: () throws(CloudError) -> T) throws -> T {
    do throws(CloudError) { return try work() } catch {
      throw error.isOfZone || ofItems.contains(error.code) ? CKError(error) : OfAll(error: error)
    }
  }

  /// The errors of saving or deleting a zone that concern it alone.
  private static let ofItems: [CloudError.Code] = [
    .badDatabase, .serverRejectedRequest, .permissionFailure, .quotaExceeded,
  ]

  private static func rethrow<T>(_ result: Result<T, any Error>) throws {
    if case .failure(let error as OfAll) = result { throw error.error }
  }
}

/// A fetch of zones, of some or of all.
struct ZoneFetching: Sendable {
  /// The zones; nil for all.
  var ids: [CKRecordZone.ID]?
  var scope: DatabaseScope

  typealias Results = [(CKRecordZone.ID, Result<CKRecordZone, any Error>)]

  func run(_ client: Client, _ request: Request) throws -> Results {
    let database = try client.database(scope, for: request)
    guard let ids else {
      return try database.zones().map { zone in
        let made = CKRecordZone(zone)
        return (made.zoneID, .success(made))
      }
    }
    var results: Results = []
    for id in ids {
      do throws(CloudError) {
        results.append((id, .success(CKRecordZone(try database.zone(id.zone())))))
      } catch {
        guard error.isOfZone else { throw error }
        results.append((id, .failure(CKError(error))))
      }
    }
    return results
  }

  /// The failed items of some results as one error; nil for none.
  static func error(of results: Results) -> CKError? {
    .partial("Failed to fetch some record zones", Dictionary(failures: results))
  }
}
