internal import CloudModel
internal import PredicateLanguage

/// A record type with a field of every kind, and records of it.
enum Shelf {
  static let schema = RecordTypeSchema(
    name: RecordType(stored: "Book"),
    fields: [
      ("author", FieldType(.reference)), ("count", FieldType(.int64)),
      ("cover", FieldType(.asset)), ("data", FieldType(.bytes)), ("in", FieldType(.int64)),
      ("links", FieldType(.reference, isList: true)), ("names", FieldType(.string, isList: true)),
      ("number", FieldType(.number)), ("numbers", FieldType(.int64, isList: true)),
      ("other", FieldType(.string)), ("place", FieldType(.location)),
      ("price", FieldType(.double)), ("prices", FieldType(.double, isList: true)),
      ("times", FieldType(.timestamp, isList: true)), ("title", FieldType(.string)),
      ("written", FieldType(.timestamp)),
    ].map { FieldSchema(name: FieldName(stored: $0), type: $1, indexes: []) })

  /// A record with some values.
  static func record(_ values: [String: FieldValue], name: String = "b1") -> Record {
    var record = Record(
      name: RecordName(stored: name), type: schema.name, zone: .defaultZone)
    for (name, value) in values { record.fields[FieldName(stored: name)] = value }
    return record
  }

  /// A predicate, fitted to the type.
  static func bind(
    _ text: String, _ arguments: [PredicateParser.Argument] = []
  ) throws(PredicateError) -> Predicate {
    try PredicateBinder.bind(PredicateParser.parse(text, arguments: arguments), to: schema)
  }

  /// Whether a record meets a predicate.
  static func meets(
    _ record: Record, _ text: String, _ arguments: [PredicateParser.Argument] = []
  ) throws -> Bool {
    try PredicateEvaluator(bind(text, arguments)).matches(record)
  }
}
