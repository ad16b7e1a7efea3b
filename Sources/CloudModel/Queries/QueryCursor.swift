/// Where the next page of a query begins, with all that the query was (rule 7.4.6).
package struct QueryCursor: Sendable, Equatable {
  /// The type asked for.
  package var type: RecordType
  /// The canonical text of the predicate.
  package var predicate: String
  /// The order.
  package var sort: [SortKey]
  /// The zone; nil for all zones of the database.
  package var zone: ZoneName?
  /// The moment of the first page.
  package var now: Timestamp
  /// The last record given.
  package var place: QueryPlace

  /// Puts a cursor together.
  package init(
    type: RecordType, predicate: String, sort: [SortKey], zone: ZoneName?, now: Timestamp,
    place: QueryPlace
  ) {
    self.type = type
    self.predicate = predicate
    self.sort = sort
    self.zone = zone
    self.now = now
    self.place = place
  }
}
