/// The state of an open document, as bits with the values of `UIDocument.State` (kvs-documents.md,
/// B3).
public struct DocumentState: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: Int

  /// A set of bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Open, without problems.
  public static let normal: DocumentState = []
  /// Not open.
  public static let closed = DocumentState(rawValue: 1)
  /// It has an unresolved conflict version.
  public static let inConflict = DocumentState(rawValue: 2)
  /// The last save failed.
  public static let savingError = DocumentState(rawValue: 4)
  /// It must not be edited now: it is busy, or could not be reloaded.
  public static let editingDisabled = DocumentState(rawValue: 8)
  /// Its contents are being transferred.
  public static let progressAvailable = DocumentState(rawValue: 16)

  private static let names: [(DocumentState, String)] = [
    (.closed, "closed"), (.inConflict, "inConflict"), (.savingError, "savingError"),
    (.editingDisabled, "editingDisabled"), (.progressAvailable, "progressAvailable"),
  ]

  /// The names of its bits, such as `inConflict|editingDisabled`.
  public var text: String {
    isEmpty ? "normal" : Self.names.filter { contains($0.0) }.map(\.1).joined(separator: "|")
  }
}

/// How an open document changed (`UIDocument.ChangeKind`).
public enum DocumentChangeKind: String, Sendable, CaseIterable {
  /// A change.
  case done
  /// A change was undone.
  case undone
  /// An undone change was redone.
  case redone
  /// The document is as saved.
  case cleared
}
