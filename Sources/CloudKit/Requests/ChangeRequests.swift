internal import CloudModel
internal import CloudServices
internal import Foundation

/// A page of a database's changes.
struct DatabaseChangesFetching: Sendable {
  var token: CKServerChangeToken?
  /// At most so many changes; nil lets the service choose.
  var limit: Int?
  var scope: DatabaseScope

  struct Page: Sendable {
    var changed: [CKRecordZone.ID] = []
    var deleted: [(zoneID: CKRecordZone.ID, reason: ZoneDeletionReason)] = []
    var token: CKServerChangeToken
    var isMoreComing: Bool
  }

  func run(_ client: Client, _ request: Request) throws -> Page {
    let database = try client.database(scope, for: request)
    let changes = try database.databaseChanges(since: token?.token(), limit: limit)
    var page = Page(
      token: CKServerChangeToken(changes.token), isMoreComing: changes.isMoreComing)
    page.changed = changes.changed.map { .stored($0) }
    page.deleted = changes.deleted.map { (.stored($0.zone), $0.reason) }
    return page
  }
}

/// A page of a zone's changes.
struct ZoneChangesFetching: Sendable {
  var zoneID: CKRecordZone.ID
  var token: CKServerChangeToken?
  var desiredKeys: [String]?
  /// At most so many changes; nil lets the service choose.
  var limit: Int?
  var scope: DatabaseScope

  /// The changes on a page if the app names no limit: as many as fit in an operation.
  static let usualLimit = Limits.operationItems

  struct Page: Sendable {
    var changed: [(CKRecord.ID, Result<CKRecord, any Error>)] = []
    var deleted: [(CKRecord.ID, CKRecord.RecordType)] = []
    var token: CKServerChangeToken
    var clientToken: Data?
    var isMoreComing: Bool
  }

  func run(_ client: Client, _ request: Request) throws -> Page {
    let database = try client.database(scope, for: request)
    var reader = RecordReader(client, database)
    let zone = try zoneID.zone()
    return try database.environment.holdingAssets {
      var found: [Record] = []
      let changes = try database.zoneChanges(
        in: zone, since: token?.token(), limit: limit ?? Self.usualLimit,
        keys: desiredKeys?.fieldNames
      ) { found.append($0) }
      var page = Page(
        token: CKServerChangeToken(changes.token), isMoreComing: changes.isMoreComing)
      page.clientToken = changes.clientToken.map { Data(base64Encoded: $0) ?? Data($0.utf8) }
      page.changed = reader.results(found)
      page.deleted = changes.deleted.map { (CKRecord.ID($0.name, in: zoneID), $0.type.text) }
      return page
    }
  }
}
