public import CloudModel

/// Something in a query that CloudKit would refuse, or that may not mean what was intended (P3).
public struct Finding: Sendable, Equatable {
  /// The rule.
  public var code: Code
  /// The position in the predicate's text; nil if it is elsewhere, such as in a sort.
  public var span: Span?
  /// CloudKit's objection, in the server's words if it has its own message.
  public var message: String
  /// The field; nil for none, or if it is not reported.
  public var key: String?
  /// How to rewrite it, or what to declare.
  public var remedy: Remedy?
  /// Whether CloudKit is certain to refuse it.
  public var severity: Severity

  /// Creates a finding with the severity of its rule, unless given.
  public init(
    _ code: Code, _ span: Span?, _ message: String, key: String? = nil, remedy: Remedy? = nil,
    severity: Severity? = nil
  ) {
    self.code = code
    self.span = span
    self.message = message
    self.key = key
    self.remedy = remedy
    self.severity = severity ?? code.severity
  }

  /// How certain the refusal is.
  public enum Severity: String, Sendable {
    case error
    case warning
  }

  /// The rules.
  public enum Code: String, Sendable, CaseIterable {
    case or = "P-OR"
    case notCompound = "P-NOT-COMPOUND"
    case notText = "P-NOT-TEXT"
    case notDistance = "P-NOT-DISTANCE"
    case notBetween = "P-NOT-BETWEEN"
    case substring = "P-SUBSTR"
    case option = "P-OPTION"
    case keyPath = "P-KEYPATH"
    case quantifier = "P-QUANT"
    case expression = "P-EXPR"
    case left = "P-LEFT"
    case fieldAgainstField = "P-FIELD-FIELD"
    case null = "P-NIL"
    case distance = "P-DIST"
    case valueCount = "P-IN-LIMIT"
    case valueType = "P-VALUE-TYPE"
    case queryable = "S-QUERYABLE"
    case sortable = "S-SORTABLE"
    case searchable = "S-SEARCHABLE"
    case unindexedType = "S-TYPE"
    case encrypted = "S-ENCRYPTED"
    case users = "S-USERS"
    case precedence = "W-PRECEDENCE"
    case quotedKey = "W-KEY-QUOTED"
    case reservedKey = "W-KEY-RESERVED"
    case percent = "W-LIKE-PERCENT"

    /// The subject of a rule.
    public enum Subject: Sendable {
      /// The form of a predicate: CloudKit refuses all of this form.
      case form
      /// The contents and declarations of the schema.
      case schema
      /// The meaning of a predicate, here as in CloudKit.
      case meaning
    }

    /// The subject of the rule.
    public var subject: Subject {
      switch self {
      case .or, .notCompound, .notText, .notDistance, .notBetween, .substring, .option, .keyPath,
        .quantifier, .expression, .left, .fieldAgainstField, .null, .distance, .valueCount,
        .valueType:
        .form
      case .queryable, .sortable, .searchable, .unindexedType, .encrypted, .users: .schema
      case .precedence, .quotedKey, .reservedKey, .percent: .meaning
      }
    }

    /// The severity of the rule's findings, unless a case is less certain.
    public var severity: Severity {
      switch subject {
      case .form, .schema: .error
      case .meaning: .warning
      }
    }
  }
}
