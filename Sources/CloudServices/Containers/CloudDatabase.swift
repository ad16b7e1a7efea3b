public import CloudModel
internal import RecordStore

/// A database as an account sees it (R1.1.7): the public database, the account's private database,
/// or its view of what others share.
public struct CloudDatabase {
  /// The environment it belongs to.
  public let environment: CloudEnvironment
  /// The scope of the database.
  public let scope: DatabaseScope
  /// The status of the account. If it is not `available`, the account may do nothing.
  public let status: AccountStatus
  /// The database's quota in bytes; nil for no limit.
  public let quota: Int64?

  /// The same database, but its changes fire no subscriptions.
  public func silent() throws(CloudError) -> CloudDatabase {
    var request = environment.request
    request.notifies = false
    return try environment.acting(for: request).database(scope)
  }

  /// The same database for operations on the store itself, even if the device is offline.
  public func withoutNetwork() throws(CloudError) -> CloudDatabase {
    var request = environment.request
    request.needsNetwork = false
    return try environment.acting(for: request).database(scope)
  }

  /// The account of the request; nil if no account is signed in.
  public var account: Account? { environment.request.account }
  /// The device of the request.
  var device: Device { environment.request.device }
  var store: EnvironmentStore { environment.store }

  /// Writes all or nothing, as the request's account, whose user is created by its first write.
  /// Throws as `requireAccount`, and what `work` throws.
  func write<T>(_ work: (WriteTransaction) throws -> T) throws(CloudError) -> T {
    try environment.write { try work(WriteTransaction(in: self)) }
  }

  // MARK: Accounts

  /// Returns the account of the request. Throws `notAuthenticated` if no account is signed in or
  /// the account may not be used, `accountTemporarilyUnavailable` if it is not ready (R11.1).
  @discardableResult
  public func requireAccount() throws(CloudError) -> Account {
    guard let account else { throw .notSignedIn }
    guard status == .available else { throw .unavailable(account, status) }
    return account
  }

  /// Returns the account of the request. Throws `networkUnavailable` if its device cannot reach
  /// iCloud, and as `requireAccount`.
  @discardableResult
  public func requireActor() throws(CloudError) -> Account {
    try environment.requireNetwork()
    return try requireAccount()
  }

  /// The account whose permissions apply; nil if it may not be used.
  var actor: Account? { status == .available ? account : nil }

  /// The permission rules of this database.
  var permissions: PermissionRules { PermissionRules(database: self) }

  /// Throws if the device is offline, or without an account for private data (R1.3.2, M1.12) and,
  /// with `--strict` as in CloudKit, for all data in development.
  func requireReader() throws(CloudError) {
    try environment.requireNetwork()
    let isStrict = environment.request.isStrict && environment.environment == .development
    if scope != .public || isStrict { try requireAccount() }
  }

  /// The owner of this database's zones; nil in public, and for an account that has never written.
  func owner() throws -> StoredUser? {
    guard scope == .private, let account else { return nil }
    return try store.user(account, on: device)
  }

  // MARK: Zones

  /// The stored zones. The first save creates the default zone.
  func storedZones() throws -> [StoredZone] {
    if scope == .shared { return try sharedZones().map(\.zone) }
    let owner = try owner()
    if scope == .private, owner == nil { return [] }
    return try store.zones(scope, of: owner)
  }

  /// Returns a zone's ID in this database: an account's own zone belongs to the current user, even
  /// if given by user record name (R2.2).
  func identity(_ zone: ZoneID) -> ZoneID {
    if scope == .shared { return sharedIdentity(zone) }
    guard case .user(let owner) = zone.owner, let account,
      environment.userRecordName(account) == owner
    else { return zone }
    return ZoneID(zone.name)
  }

  /// Returns a zone for reading, or nil for a default zone that was never written to. Throws
  /// `zoneNotFound` for any other missing zone (R2.8).
  func zoneToRead(_ id: ZoneID) throws -> StoredZone? {
    let id = identity(id)
    if let zone = try storedZone(id) { return zone }
    guard id.isDefault, isOwn(id) else { throw try missing(id) }
    return nil
  }

  /// The error for a missing zone: the database cannot have it, its user purged it or reset the
  /// encryption keys (R2.11), or it was never saved.
  func missing(_ id: ZoneID) throws -> CloudError {
    if try belongsElsewhere(id) { return .zoneOfOtherDatabase(id, scope) }
    return switch try deletionReason(of: id) {
    case .purged: .userDeletedZone(id)
    case .encryptedDataReset: .encryptedDataReset(id)
    case .deleted, nil: .zoneNotFound(id, among: try storedZones().map(\.zone.id))
    }
  }

  private func deletionReason(of id: ZoneID) throws -> ZoneDeletionReason? {
    if scope == .shared { return nil }
    return try store.deletedZones(scope, of: owner(), after: 0).first { $0.id == id }?.reason
  }

  /// Whether a zone is another user's, in the private database, or the user's own, in the shared
  /// one (R2.2). A name without an owner may be a shared zone's.
  private func belongsElsewhere(_ id: ZoneID) throws -> Bool {
    switch scope {
    case .public: return false
    case .private: return !isOwn(identity(id))
    case .shared: break
    }
    guard let account else { return false }
    let own = ZoneID(identity(id).name)
    switch identity(id).owner {
    case .user(let owner): return owner == environment.userRecordName(account)
    case .current: return try own.isDefault || store.zone(own, of: account) != nil
    }
  }

  /// Other users' zones appear only in the shared database, own zones never there (R2.2).
  private func isOwn(_ id: ZoneID) -> Bool { scope != .shared && id.owner == .current }

  /// Returns a zone, or nil if there is none with this ID.
  func storedZone(_ id: ZoneID) throws -> StoredZone? {
    if scope == .shared { return try sharedZone(id) }
    guard isOwn(id) else { return nil }
    guard scope == .private else { return try store.zone(id, scope, of: nil) }
    return try account.flatMap { try store.zone(id, of: $0) }
  }

  /// Returns a zone for writing. Throws `zoneNotFound` for a zone that was never saved (R2.5).
  func zoneToWrite(_ id: ZoneID, _ writer: StoredUser) throws -> StoredZone {
    guard let zone = try zoneIfMade(id, writer) else { throw try missing(identity(id)) }
    return zone
  }

  /// Returns a zone for writing, or nil for one that was never saved or was purged by its user, so
  /// that it may be created. Throws `encryptedDataReset` if its keys were reset.
  func zoneIfMade(_ id: ZoneID, _ writer: StoredUser) throws -> StoredZone? {
    let id = identity(id)
    if scope == .shared { return try sharedZone(id) }
    guard isOwn(id) else { throw try missing(id) }
    let owner = scope == .private ? writer : nil
    if let zone = try store.zone(id, scope, of: owner) { return zone }
    if id.isDefault { return try store.addZone(id, scope, of: owner) }
    guard try deletionReason(of: id) != .encryptedDataReset else {
      throw CloudError.encryptedDataReset(id)
    }
    return nil
  }
}
