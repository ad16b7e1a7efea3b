internal import Basics

/// The name of a field: a letter, then letters, digits and underscores (R3.1.3).
public struct FieldName: Sendable, Hashable {
  /// The name's text.
  public let text: String

  /// Creates a name that was checked when it was stored.
  public init(stored text: String) { self.text = text }

  /// Checks a name. Throws `permissionFailure` for a leading underscore, with the server's message
  /// (C054), `invalidArguments` for other faults.
  public init(_ text: String) throws(CloudError) {
    if text.utf8.first == UInt8(ascii: "_") {
      throw CloudError(
        .permissionFailure,
        "Unprivileged attempt to insert a system field: \(text.visible)")
    }
    guard isIdentifier(text) else {
      throw CloudError(
        .invalidArguments, "field name (\(text.visible)) contains invalid characters",
        remedy: "a field name must be a letter, then letters, digits and underscores, at most 255")
    }
    self.text = text
  }

  /// Checks a name in a schema, which may also be a system field: `cloudkit.title`. Throws as
  /// `init(_:)`.
  public init(schemaName text: String) throws(CloudError) {
    if isSystemIdentifier(text) { self.init(stored: text) } else { try self.init(text) }
  }
}
