/// What a query asks for.
public struct Query: Sendable {
  /// The one type it is about (R7.2.10).
  public var type: RecordType
  /// Which of its records.
  public var predicate: Predicate
  /// In which order.
  public var sort: [SortKey]
  /// The moment that the query runs at, the same on every page.
  public var now: Timestamp

  /// Puts a query together.
  public init(type: RecordType, predicate: Predicate, sort: [SortKey], now: Timestamp) {
    self.type = type
    self.predicate = predicate
    self.sort = sort
    self.now = now
  }
}

/// One key of an order (R7.4.3).
public struct SortKey: Sendable, Equatable {
  /// A field or a system key.
  public var key: String
  /// Smallest first; records without a value come first then.
  public var isAscending: Bool
  /// For a location field: the place that distances are measured from.
  public var origin: Location?

  /// Puts a key together.
  public init(_ key: String, isAscending: Bool = true, origin: Location? = nil) {
    self.key = key
    self.isAscending = isAscending
    self.origin = origin
  }
}

/// A place in a query's results after which the next page begins: the sort values of the last
/// record given, and its internal number.
public struct QueryPlace: Sendable, Equatable {
  /// The values of the sort keys; nil for no value.
  public var values: [FieldValue?]
  /// The record's number in its store.
  public var number: Int64

  /// Puts a place together.
  public init(values: [FieldValue?], number: Int64) {
    self.values = values
    self.number = number
  }
}
