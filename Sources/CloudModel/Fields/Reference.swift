/// A reference to a record.
public struct Reference: Sendable, Equatable {
  /// The target's name; the target need not exist (R5.7).
  public var name: RecordName
  /// The target's zone, where a text names it; nil for the zone of the record that has the
  /// reference.
  ///
  /// No other zone is saved (R5.11), so a stored reference has nil: it means the same to the owner
  /// of a zone and to those he shares it with, who call the zone by different identities.
  public var zone: ZoneID?
  /// What happens when the target is deleted.
  public var action: Action

  /// Points to a record.
  public init(_ name: RecordName, in zone: ZoneID? = nil, action: Action = .none) {
    self.name = name
    self.zone = zone
    self.action = action
  }

  /// What the deletion of the target does (R5.1).
  public enum Action: Int, Sendable, CaseIterable {
    /// Nothing: the reference keeps the dead name.
    case none = 0
    /// Deletes the record that holds the reference.
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

    /// Reads a name of Web Services.
    public init?(name: String) {
      guard let action = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = action
    }
  }
}
