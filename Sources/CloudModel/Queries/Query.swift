/// A query of records.
public struct Query: Sendable {
  /// The record type (R7.2.10).
  public var type: RecordType
  /// The predicate.
  public var predicate: Predicate
  /// The sort keys.
  public var sort: [SortKey]
  /// The time of the query, the same for every page.
  public var now: Timestamp

  /// Creates a query.
  public init(type: RecordType, predicate: Predicate, sort: [SortKey], now: Timestamp) {
    self.type = type
    self.predicate = predicate
    self.sort = sort
    self.now = now
  }
}

/// A sort key (R7.4.3).
public struct SortKey: Sendable, Equatable {
  /// A field or a system key.
  public var key: String
  /// Whether the smallest value comes first, after the records without a value.
  public var isAscending: Bool
  /// For a location field: the place from which distances are measured.
  public var origin: Location?

  /// Creates a key.
  public init(_ key: String, isAscending: Bool = true, origin: Location? = nil) {
    self.key = key
    self.isAscending = isAscending
    self.origin = origin
  }
}

/// A place in a query's results, after which the next page begins: the sort values and the internal
/// number of the last record returned.
public struct QueryPlace: Sendable, Equatable {
  /// The values of the sort keys; nil for a missing value.
  public var values: [FieldValue?]
  /// The record's number in its store.
  public var number: Int64

  /// Creates a place.
  public init(values: [FieldValue?], number: Int64) {
    self.values = values
    self.number = number
  }
}
