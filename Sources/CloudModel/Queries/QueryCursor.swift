/// Where the next page of a query begins, with all that the query was (R7.4.6).
public struct QueryCursor: Sendable, Equatable {
  /// The type requested.
  public var type: RecordType
  /// The canonical text of the predicate.
  public var predicate: String
  /// The order.
  public var sort: [SortKey]
  /// The zone; nil for all zones of the database.
  public var zone: ZoneID?
  /// The moment of the first page.
  public var now: Timestamp
  /// Tells the database, or its zone, from all others, whose records have other numbers.
  public var origin: UInt64
  /// The last record given.
  public var place: QueryPlace

  /// Puts a cursor together.
  public init(
    type: RecordType, predicate: String, sort: [SortKey], zone: ZoneID?, now: Timestamp,
    origin: UInt64, place: QueryPlace
  ) {
    self.type = type
    self.predicate = predicate
    self.sort = sort
    self.zone = zone
    self.now = now
    self.origin = origin
    self.place = place
  }
}
