public import CloudModel
internal import PredicateLanguage
internal import RecordStore

/// The query that a caller expects a cursor to continue; nil and empty members match any query.
public struct QueryNaming {
  /// The type.
  public var type: RecordType?
  /// The predicate.
  public var predicate: Predicate?
  /// The order.
  public var sort: [SortKey] = []
  /// The zone.
  public var zone: ZoneID?

  /// Matches any query.
  public init() {}
}

extension CloudDatabase {
  /// Returns the query that a cursor continues; the cursor contains all of it (R7.4.6). Throws
  /// `invalidArguments` if it is not the query that the caller names.
  public func continuing(
    _ cursor: QueryCursor, named naming: QueryNaming
  ) throws(CloudError) -> QueryRequest {
    guard try isOf(naming, cursor) else {
      throw CloudError(
        .invalidArguments, "The cursor does not match: it belongs to another query",
        remedy: "it comes from: query \(cursor.type.text) '\(cursor.predicate)'")
    }
    let predicate: Predicate
    do { predicate = try PredicateParser.parse(cursor.predicate) } catch { throw CloudError(error) }
    var request = QueryRequest(type: cursor.type, predicate: predicate)
    request.sort = cursor.sort
    request.zone = cursor.zone
    request.after = cursor
    return request
  }

  private func isOf(_ naming: QueryNaming, _ cursor: QueryCursor) throws(CloudError) -> Bool {
    if let type = naming.type, type != cursor.type { return false }
    if !naming.sort.isEmpty, naming.sort != cursor.sort { return false }
    if let zone = naming.zone, identity(zone) != cursor.zone.map(identity) { return false }
    guard let predicate = naming.predicate else { return true }
    return try canonicalText(of: predicate, for: cursor.type, at: cursor.now) == cursor.predicate
  }

  /// The canonical text of a predicate in the cursor of a query that began at `now`.
  private func canonicalText(
    of predicate: Predicate, for type: RecordType, at now: Timestamp
  ) throws(CloudError) -> String {
    try environment.read {
      try PredicateBinder.bind(
        predicate, to: try environment.requireTable(type).schema,
        try environment.givens(for: predicate, at: now)
      ).text
    }
  }
}
