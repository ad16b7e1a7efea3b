internal import Basics
public import CloudModel
internal import RecordStore

/// What an account may do with a record, and the rules that decide it.
public struct RecordAccess: Sendable {
  /// The account; nil for no account.
  public let account: Account?
  /// The database in which the account would find the record.
  public let scope: DatabaseScope
  /// Whether it may read the record.
  public var read: Decision
  /// Whether it may change the record.
  public var change: Decision
  /// Whether it may delete the record.
  public var delete: Decision

  /// Whether something is allowed, and the rule that says so.
  public struct Decision: Sendable, Equatable {
    /// Whether it is.
    public var isAllowed: Bool
    /// The rule, in words for people.
    public var rule: String
  }
}

extension CloudDatabase {
  /// What an account may do with a record of this database, decided by the same checks as its
  /// requests. Throws `unknownItem` for a record that this database does not show.
  public func access(
    of person: Account?, to name: RecordName, in id: ZoneID
  ) throws(CloudError) -> RecordAccess {
    var request = environment.request
    (request.account, request.device, request.needsNetwork) = (person, .cli, false)
    let theirs = environment.acting(for: request)
    return try environment.read {
      guard let zone = try zoneToRead(id), let stored = try record(name, in: zone) else {
        throw CloudError.recordNotFound(name)
      }
      switch scope {
      case .public: return try theirs.database(.public).publicAccess(to: stored)
      case .private, .shared:
        let owner = try store.place(of: zone).account
        return try owner == person
          ? theirs.database(.private).ownAccess()
          : theirs.database(.shared).access(to: stored, zone)
      }
    }
  }

  private func access(_ isAllowed: Bool, _ rule: String) -> RecordAccess {
    let decision = RecordAccess.Decision(isAllowed: isAllowed, rule: rule)
    return RecordAccess(
      account: account, scope: scope, read: decision, change: decision, delete: decision)
  }

  /// The reason for which the account may do nothing; nil if there is none.
  private func obstacle() -> String? {
    do throws(CloudError) { try requireAccount() } catch { return error.message }
    return nil
  }

  // MARK: The public database

  private func publicAccess(to stored: StoredRecord) throws -> RecordAccess {
    let type = stored.record.type
    func decision(
      _ permission: Permissions, _ check: (StoredRecord) throws -> Void
    ) throws -> RecordAccess.Decision {
      let rule = try permissions.grant(of: permission, on: type)
      do { try check(stored) } catch let error as CloudError where error.storage == nil {
        return RecordAccess.Decision(isAllowed: false, rule: rule)
      }
      return RecordAccess.Decision(isAllowed: true, rule: rule)
    }
    var access = access(true, "")
    access.read = try decision(.read, permissions.requireRead)
    access.change = try decision(.write, permissions.requireWrite)
    if actor == nil { access.change = .init(isAllowed: false, rule: obstacle() ?? "") }
    access.delete = access.change
    return try restricted(access)
  }

  // MARK: The databases of users

  private func ownAccess() throws -> RecordAccess {
    if let obstacle = obstacle() { return access(false, obstacle) }
    return try restricted(access(true, "the zone is the account's own"))
  }

  /// The access without changes, if the account's data is restricted (R11.4.9).
  private func restricted(_ access: RecordAccess) throws -> RecordAccess {
    guard let account else { return access }
    do { try environment.requireUnrestricted(account) } catch {
      let decision = RecordAccess.Decision(isAllowed: false, rule: error.message)
      return RecordAccess(
        account: account, scope: scope, read: access.read, change: decision, delete: decision)
    }
    return access
  }

  /// The access of another user than the owner of the zone.
  private func access(to stored: StoredRecord, _ zone: StoredZone) throws -> RecordAccess {
    if let obstacle = obstacle() { return access(false, obstacle) }
    guard let membership = try membership(covering: stored, in: zone) else {
      return access(false, try reasonToHide(stored, in: zone))
    }
    let share = try store.share(numbered: membership.share).map { try label($0, in: zone) }
    let right = "\(share ?? "the share") gives \(membership.permission.name)"
    var access = access(true, right)
    let rules = SharingRules(database: self, zone: zone)
    func decide(_ check: () throws -> Void) throws -> RecordAccess.Decision {
      do { try check() } catch let error as CloudError where error.storage == nil {
        return .init(isAllowed: false, rule: error.remedy?.advice ?? error.message)
      }
      return .init(isAllowed: true, rule: right)
    }
    access.change = try decide { try rules.checkSave(of: stored.record, over: stored) }
    access.delete = try decide { try rules.checkDeletion(of: stored) }
    if membership.permission != .readWrite { access.change.rule = right }
    if membership.permission != .readWrite { access.delete.rule = right }
    return try restricted(access)
  }

  /// The row of an account among the participants of a share, by its user or its addresses.
  private func ownRow(
    of account: Account, in rows: [StoredParticipant]
  ) throws -> StoredParticipant? {
    let user = environment.userRecordName(account).text
    let addresses = try environment.owner.person(of: account)?.addresses ?? []
    return rows.first { $0.user == user }
      ?? rows.first { $0.user == nil && $0.address.map(addresses.contains) ?? false }
  }

  /// The share in words: its title, or what is shared.
  private func label(_ share: StoredShare, in zone: StoredZone) throws -> String {
    let record = try store.record(share.name, in: zone)?.record
    if case .string(let title)? = record?.fields[.shareTitle], !title.isEmpty {
      return "the share '\(title.visible)'"
    }
    return share.root.map { "the share of \($0.text)" } ?? "the share of the zone"
  }

  /// Why the account does not see a record of another user.
  private func reasonToHide(_ stored: StoredRecord, in zone: StoredZone) throws -> String {
    let whole = try store.share(.zoneWideShare, in: zone)
    let share = try whole ?? store.cover(of: stored).flatMap { try store.share(numbered: $0) }
    guard let share else { return "no share covers the record" }
    let name = try label(share, in: zone)
    let row = try account.flatMap { try ownRow(of: $0, in: store.participants(of: share)) }
    switch row?.status {
    case .pending: return "invited to \(name), but has not accepted"
    case .removed: return "left \(name), or was removed from it"
    case .requested: return "has asked for access to \(name), without an answer yet"
    case .blocked: return "blocked from \(name)"
    case .accepted: return "\(name) gives none"
    case nil:
      return share.publicPermission == .none
        ? "not a participant of \(name)"
        : "has not accepted \(name), which is open to everyone with its URL"
    }
  }
}

extension Remedy {
  /// The remedy, if it is only words.
  fileprivate var advice: String? { if case .advice(let text) = self { text } else { nil } }
}
