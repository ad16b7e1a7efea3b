internal import CloudModel
internal import CloudServices
internal import Foundation

/// A fetch of records by their identities.
struct RecordFetching: Sendable {
  var ids: [CKRecord.ID]
  /// The fields to fetch; nil for all.
  var desiredKeys: [String]?
  var scope: DatabaseScope

  /// The outcomes, in the order of the identities.
  typealias Results = [(CKRecord.ID, Result<CKRecord, any Error>)]

  /// Fetches all records. Throws `CloudError` for an error of the whole operation; a missing zone
  /// is an error of its records.
  func run(_ client: Client, _ request: Request) throws -> Results {
    let database = try client.database(scope, for: request)
    guard ids.count <= Limits.operationItems else { throw CloudError.tooManyItems(ids.count) }
    var results: [Result<CKRecord, any Error>?] = ids.map { _ in nil }
    var reader = RecordReader(client, database)
    let keys = desiredKeys?.fieldNames
    try database.environment.holdingAssets {
      for (zoneID, places) in placesByZone {
        do throws(CloudError) {
          let zone = try zoneID.zone()
          let known = places.filter { (try? RecordName(ids[$0].recordName)) != nil }
          let names = known.map { RecordName(stored: ids[$0].recordName) }
          for place in places where !known.contains(place) {
            results[place] = .failure(
              CKError(.recordNotFound(RecordName(stored: ids[place].recordName))))
          }
          let fetched = try database.fetch(names, in: zone, keys: keys)
          for (place, result) in zip(known, fetched) {
            results[place] = Result {
              do throws(CloudError) { return try reader.record(try result.get()) } catch {
                throw CKError(error)
              }
            }
          }
        } catch {
          guard error.isOfZone else { throw error }
          for place in places { results[place] = .failure(CKError(error)) }
        }
      }
    }
    return zip(ids, results).map { ($0, $1 ?? .failure(CKError.cancelled)) }
  }

  private var placesByZone: [(CKRecordZone.ID, [Int])] {
    var order: [CKRecordZone.ID] = []
    var places: [CKRecordZone.ID: [Int]] = [:]
    for (place, id) in ids.enumerated() {
      if places[id.zoneID] == nil { order.append(id.zoneID) }
      places[id.zoneID, default: []].append(place)
    }
    return order.map { ($0, places[$0] ?? []) }
  }

  /// The failed items of some results as one error; nil for none.
  static func error(of results: Results) -> CKError? {
    .partial("Failed to fetch some records", Dictionary(failures: results))
  }
}

extension CloudError {
  /// Whether it concerns a zone alone, and not the whole operation, which a requested fault ends.
  var isOfZone: Bool {
    if case .requestedFault? = remedy { return false }
    return [.zoneNotFound, .userDeletedZone, .invalidArguments].contains(code)
  }
}

extension [String] {
  /// The names of fields to fetch; those that no field can have find nothing.
  var fieldNames: [FieldName] { map { FieldName(stored: $0) } }
}

/// A page of the results of a query.
struct QueryPaging: Sendable {
  /// The query, or the place after which its next page begins.
  enum Start: Sendable {
    case query(CKQuery, CKRecordZone.ID?)
    case cursor(CKQueryCursor)
  }

  let start: Start
  var desiredKeys: [String]?
  /// At most so many records; 0 lets the service choose.
  var limit = CKQueryOperation.maximumResults
  var scope: DatabaseScope

  /// The records of a page, and where the next one begins; nil after the last.
  struct Page: Sendable {
    var matches: [(CKRecord.ID, Result<CKRecord, any Error>)] = []
    var cursor: CKQueryCursor?
  }

  func run(_ client: Client, _ request: Request) throws -> Page {
    let database = try client.database(scope, for: request)
    var query = try queryRequest(in: database)
    query.keys = desiredKeys?.fieldNames
    query.limit = limit > 0 ? limit : Limits.queryPage
    var reader = RecordReader(client, database)
    return try database.environment.holdingAssets {
      // Reading a share takes queries of its own.
      var found: [Record] = []
      let cursor = try database.query(query) {
        found.append($0)
        return true
      }
      return Page(matches: reader.results(found), cursor: cursor.map { CKQueryCursor($0) })
    }
  }

  private func queryRequest(in database: CloudDatabase) throws(CloudError) -> QueryRequest {
    switch start {
    case .cursor(let cursor):
      return try database.continuing(cursor.cursor(), named: QueryNaming())
    case .query(let query, let zoneID):
      var request = QueryRequest(
        type: try RecordType(schemaName: query.recordType),
        predicate: try query.predicate.predicate())
      for descriptor in query.sortDescriptors ?? [] {
        request.sort.append(try descriptor.sortKey())
      }
      request.zone = try zoneID?.zone()
      return request
    }
  }
}
