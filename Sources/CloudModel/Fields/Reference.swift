/// A reference to a record.
public struct Reference: Sendable, Equatable {
  /// The target's name; the target need not exist (R5.7).
  public var name: RecordName
  /// The target's zone, if the text names it; nil for the zone of the referring record.
  ///
  /// No other zone is saved (R5.11), so a stored reference has nil: it means the same to the owner
  /// and the participants of a shared zone, who identify the zone differently.
  public var zone: ZoneID?
  /// What happens when the target is deleted.
  public var action: Action

  /// Creates a reference to a record.
  public init(_ name: RecordName, in zone: ZoneID? = nil, action: Action = .none) {
    self.name = name
    self.zone = zone
    self.action = action
  }

  /// What deleting the target does (R5.1).
  public enum Action: Int, Sendable, CaseIterable {
    /// Nothing: the reference keeps the name of the deleted record.
    case none = 0
    /// Deletes the referring record.
    case deleteSelf = 1
    /// The target must exist and cannot be deleted (Web Services only).
    case validate = 2

    /// The name in Web Services.
    public var name: String {
      switch self {
      case .none: "NONE"
      case .deleteSelf: "DELETE_SELF"
      case .validate: "VALIDATE"
      }
    }

    /// Parses a name of Web Services.
    public init?(name: String) {
      guard let action = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = action
    }
  }
}
