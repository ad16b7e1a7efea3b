/// An operation of Web Services' records/modify (R4.2).
public struct RecordOperation: Sendable {
  /// What to do with the record.
  public var kind: Kind
  /// The record as the request has it.
  public var draft: RecordDraft
  /// The fields that the answer has; nil for all.
  public var desiredKeys: [FieldName]?
  /// What a share's record has besides its fields; nil for other records.
  public var share: ShareDraft?

  /// Creates an operation.
  public init(_ kind: Kind, _ draft: RecordDraft) { (self.kind, self.draft) = (kind, draft) }

  /// The operation types.
  public enum Kind: String, Sendable, CaseIterable {
    case create
    case update
    case forceUpdate
    case replace
    case forceReplace
    case delete
    case forceDelete

    /// Whether the record is deleted.
    public var isDeletion: Bool { self == .delete || self == .forceDelete }
    /// Whether the change tag must be that of the stored record.
    public var needsTag: Bool { self == .update || self == .replace }
    /// Whether fields that the request omits lose their values.
    public var replacesFields: Bool { self == .replace || self == .forceReplace }
  }

  /// What the record of a share has in Web Services besides its fields (R10.3.16).
  public struct ShareDraft: Sendable {
    /// The root of the shared hierarchy; nil for a whole zone, or an existing share.
    public var root: String?
    /// The version of the root that the client knows; nil if the operation saves the root, too.
    public var rootTag: String?
    /// The permission of everyone with the URL; nil leaves it as it is.
    public var publicPermission: SharePermission?
    /// The participants besides the owner; nil leaves them as they are.
    public var participants: [Participant]?

    /// Changes nothing.
    public init() {}

    /// A participant of a request.
    public struct Participant: Sendable {
      /// Whom the request names: an address or a user record name.
      public var invitee: String
      /// The permission.
      public var permission: SharePermission
      /// Whether the participant may change others.
      public var isAdministrator: Bool

      /// Creates a participant.
      public init(_ invitee: String, _ permission: SharePermission, isAdministrator: Bool) {
        (self.invitee, self.permission) = (invitee, permission)
        self.isAdministrator = isAdministrator
      }
    }
  }
}
