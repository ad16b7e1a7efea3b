internal import Basics

/// The name of a record type: a letter, then letters, digits and underscores (R3.1.1).
public struct RecordType: Sendable, Hashable {
  /// The name's text.
  public let text: String

  /// Creates a name that was checked when it was stored.
  public init(stored text: String) { self.text = text }

  /// Checks a name. Throws `invalidArguments` with the client's message.
  public init(_ text: String) throws(CloudError) {
    guard isIdentifier(text) else {
      throw CloudError(
        .invalidArguments, "recordType (\(text.visible)) contains invalid characters",
        remedy: "a type name must be a letter, then letters, digits and underscores, at most 255")
    }
    self.text = text
  }

  /// Checks a name in a schema, which may also be a system type. Throws `invalidArguments`.
  public init(schemaName text: String) throws(CloudError) {
    if text == Self.share.text { self = .share } else { try self.init(text) }
  }

  /// The type of shares (`CKRecordTypeShare`).
  public static let share = RecordType(stored: "cloudkit.share")
}

/// Whether a text names a field of CloudKit: `cloudkit.` followed by an identifier.
func isSystemIdentifier(_ text: String) -> Bool {
  let prefix = "cloudkit."
  return text.hasPrefix(prefix) && isIdentifier(String(text.dropFirst(prefix.count)))
}

/// Whether a text is a valid type or field name: a letter, then letters, digits, underscores.
func isIdentifier(_ text: String) -> Bool {
  guard let first = text.utf8.first, first.isLetterByte else { return false }
  return text.utf8.count <= Limits.identifierLength && text.utf8.allSatisfy(\.isIdentifierByte)
}
