/// The place where a query's next page begins, with the whole query (R7.4.6).
public struct QueryCursor: Sendable, Equatable {
  /// The type requested.
  public var type: RecordType
  /// The canonical text of the predicate.
  public var predicate: String
  /// The sort keys.
  public var sort: [SortKey]
  /// The zone; nil for all zones of the database.
  public var zone: ZoneID?
  /// The time of the first page.
  public var now: Timestamp
  /// The identity of the database, or its zone: other databases use other record numbers.
  public var origin: UInt64
  /// The place of the last record returned.
  public var place: QueryPlace

  /// Creates a cursor.
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
