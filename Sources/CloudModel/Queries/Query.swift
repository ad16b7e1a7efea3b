/// What a query asks for.
package struct Query: Sendable {
  /// The one type it is about (rule 7.2.10).
  package var type: RecordType
  /// Which of its records.
  package var predicate: Predicate
  /// In which order.
  package var sort: [SortKey]
  /// The moment that the query runs at, the same on every page.
  package var now: Timestamp

  /// Puts a query together.
  package init(type: RecordType, predicate: Predicate, sort: [SortKey], now: Timestamp) {
    self.type = type
    self.predicate = predicate
    self.sort = sort
    self.now = now
  }
}

/// One key of an order (rule 7.4.3).
package struct SortKey: Sendable, Equatable {
  /// A field or a system key.
  package var key: String
  /// Smallest first; records without a value come first then.
  package var isAscending: Bool
  /// For a location field: the place that distances are measured from.
  package var origin: Location?

  /// Puts a key together.
  package init(_ key: String, isAscending: Bool = true, origin: Location? = nil) {
    self.key = key
    self.isAscending = isAscending
    self.origin = origin
  }
}

/// A place in a query's results behind which the next page begins: the sort values of the last
/// record given, and its internal number.
package struct QueryPlace: Sendable, Equatable {
  /// The values of the sort keys; nil for no value.
  package var values: [FieldValue?]
  /// The record's number in its store.
  package var number: Int64

  /// Puts a place together.
  package init(values: [FieldValue?], number: Int64) {
    self.values = values
    self.number = number
  }
}
