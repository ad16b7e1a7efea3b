/// Something in which what is found is not what is expected.
public struct RecordDifference: Sendable {
  /// The database.
  public let scope: DatabaseScope
  /// The zone, with the account that owns it where that is not the one in use.
  public private(set) var zone: ZoneID
  /// The record; nil where it is about the zone itself.
  public let record: RecordName?
  /// The record's type.
  public let type: RecordType?
  /// What of it differs.
  public let subject: Subject
  /// What is expected; nil for nothing.
  public let expected: Expectation?
  /// What is found; nil for nothing.
  public let found: Expectation?
  /// Where it is expected, in a fixture.
  public var position: TextPosition?

  /// What of a zone or a record differs.
  public enum Subject: Sendable, Equatable {
    /// Whether it is there.
    case presence
    case type
    case parent
    case field(FieldName)

    /// The name in reports; nil for the presence.
    public var name: String? {
      switch self {
      case .presence: nil
      case .type: "recordType"
      case .parent: "parent"
      case .field(let name): name.text
      }
    }
  }

  /// What is expected, or found.
  public enum Expectation: Sendable {
    case zone
    case record(Record)
    case name(String)
    case value(FieldValue)
    case matcher(FieldMatcher)
  }

  /// A difference in a record.
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

  /// Says whose private database it is about.
  public mutating func set(owner: Account) {
    zone = ZoneID(zone.name, owner: .user(UserRecordName(stored: owner.name)))
  }

  /// A zone that is expected and not found, or the other way round.
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

/// Fields that a comparison does not look at: `FIELD`, or `TYPE.FIELD`.
public struct IgnoredFields: Sendable {
  private let words: Set<String>

  /// Takes words.
  public init(_ words: [String]) { self.words = Set(words) }

  /// Whether a difference is in one of them.
  public func contains(_ difference: RecordDifference) -> Bool {
    guard case .field(let field) = difference.subject, let type = difference.type else {
      return false
    }
    return contains(field, of: type)
  }

  /// Whether a field of a type is among them.
  public func contains(_ field: FieldName, of type: RecordType) -> Bool {
    !words.isEmpty && (words.contains(field.text) || words.contains("\(type.text).\(field.text)"))
  }
}
