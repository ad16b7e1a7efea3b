public import CloudModel

/// What CloudKit would refuse of a query, or what a person may have meant otherwise (P3).
public struct Finding: Sendable, Equatable {
  /// Which rule it is.
  public var code: Code
  /// Where in the predicate's text; nil for what is not in it, as a sort.
  public var span: Span?
  /// What CloudKit has against it, in the server's words where it says them by name.
  public var message: String
  /// The field that it is about; nil where it is about none, or that is not told.
  public var key: String?
  /// How to say it otherwise, or what to declare.
  public var remedy: Remedy?
  /// Whether CloudKit refuses it for sure.
  public var severity: Severity

  /// Puts a finding together; its severity is that of the rule unless it is given.
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

  /// How sure the refusal is.
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

    /// What a rule is about.
    public enum Subject: Sendable {
      /// The form of a predicate: CloudKit takes no such one.
      case form
      /// What the schema has, and declares.
      case schema
      /// How a predicate is meant, here as in CloudKit.
      case meaning
    }

    /// What the rule is about.
    public var subject: Subject {
      switch self {
      case .or, .notCompound, .notText, .notDistance, .notBetween, .substring, .option, .keyPath,
        .quantifier, .expression, .left, .fieldAgainstField, .null, .distance, .valueCount,
        .valueType:
        .form
      case .queryable, .sortable, .searchable, .unindexedType, .encrypted, .users: .schema
      case .precedence, .quotedKey, .reservedKey: .meaning
      }
    }

    /// What the rule's findings are unless a case of it is less sure.
    public var severity: Severity {
      switch subject {
      case .form: self == .option || self == .null ? .warning : .error
      case .schema: .error
      case .meaning: .warning
      }
    }
  }
}
