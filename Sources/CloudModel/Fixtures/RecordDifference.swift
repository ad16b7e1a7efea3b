/// A difference between expected and found data.
public struct RecordDifference: Sendable {
  /// The database.
  public let scope: DatabaseScope
  /// The zone; with its owner if that is not the account in use.
  public private(set) var zone: ZoneID
  /// The record; nil for a difference in the zone itself.
  public let record: RecordName?
  /// The record's type.
  public let type: RecordType?
  /// The part that differs.
  public let subject: Subject
  /// The expected value; nil for none.
  public let expected: Expectation?
  /// The found value; nil for none.
  public let found: Expectation?
  /// The position of the expectation in a fixture.
  public var position: TextPosition?

  /// The part of a zone or a record that differs.
  public enum Subject: Sendable, Equatable {
    /// Whether it exists.
    case presence
    case type
    case parent
    case field(FieldName)

    /// The name in reports; nil for `presence`.
    public var name: String? {
      switch self {
      case .presence: nil
      case .type: "recordType"
      case .parent: "parent"
      case .field(let name): name.text
      }
    }
  }

  /// An expected or found value.
  public enum Expectation: Sendable {
    case zone
    case record(Record)
    case name(String)
    case value(FieldValue)
    case matcher(FieldMatcher)
  }

  /// Creates a difference in a record.
  public init(
    _ subject: Subject, of record: Record, in scope: DatabaseScope,
    expected: Expectation?, found: Expectation?
  ) {
    self.scope = scope
    zone = record.zone
    self.record = record.name
    type = record.type
    self.subject = subject
    self.expected = expected
    self.found = found
  }

  /// Sets the owner of the private database.
  public mutating func set(owner: Account) {
    zone = ZoneID(zone.name, owner: .user(UserRecordName(stored: owner.name)))
  }

  /// Creates the difference of a missing or unexpected zone.
  public init(zone: ZoneID, in scope: DatabaseScope, isExpected: Bool) {
    self.scope = scope
    self.zone = zone
    record = nil
    type = nil
    subject = .presence
    expected = isExpected ? .zone : nil
    found = isExpected ? nil : .zone
  }
}

/// Fields that a comparison ignores: `FIELD`, or `TYPE.FIELD`.
public struct IgnoredFields: Sendable {
  private let words: Set<String>

  /// Creates the set of ignored fields.
  public init(_ words: [String]) { self.words = Set(words) }

  /// Whether a difference is in an ignored field.
  public func contains(_ difference: RecordDifference) -> Bool {
    guard case .field(let field) = difference.subject, let type = difference.type else {
      return false
    }
    return contains(field, of: type)
  }

  /// Whether a field of a type is ignored.
  public func contains(_ field: FieldName, of type: RecordType) -> Bool {
    !words.isEmpty && (words.contains(field.text) || words.contains("\(type.text).\(field.text)"))
  }
}
