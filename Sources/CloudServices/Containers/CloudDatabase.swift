public import CloudModel
internal import RecordStore

/// A database as an account sees it (R1.1.7): the one public, the account's private one, or
/// its window on what others share.
public struct CloudDatabase {
  /// The environment that it is part of.
  public let environment: CloudEnvironment
  /// Which database it is.
  public let scope: DatabaseScope
  /// The status of that account: one that is not available may do nothing.
  public let status: AccountStatus
  /// How many bytes the database may hold; nil for any number.
  public let quota: Int64?

  /// The same database, whose changes fire no subscriptions.
  public func silent() throws(CloudError) -> CloudDatabase {
    var request = environment.request
    request.notifies = false
    return try environment.acting(for: request).database(scope)
  }

  /// The same database for what acts on the store itself, whether its device is online or not.
  public func withoutNetwork() throws(CloudError) -> CloudDatabase {
    var request = environment.request
    request.needsNetwork = false
    return try environment.acting(for: request).database(scope)
  }

  /// Who acts; nil for nobody signed in.
  public var account: Account? { environment.request.account }
  /// The device that the account acts on.
  var device: Device { environment.request.device }
  var store: EnvironmentStore { environment.store }

  /// Writes all or nothing, as the request's account, whose user is made at his first write. Throws
  /// as `requireAccount`, and what `work` throws.
  func write<T>(_ work: (WriteTransaction) throws -> T) throws(CloudError) -> T {
    try environment.write { try work(WriteTransaction(in: self)) }
  }

  // MARK: Who

  /// The account that acts. Throws `notAuthenticated` for nobody and for an account that may not
  /// be used, `accountTemporarilyUnavailable` for one that is not ready (R11.1).
  @discardableResult
  public func requireAccount() throws(CloudError) -> Account {
    guard let account else { throw .notSignedIn }
    guard status == .available else { throw .unavailable(account, status) }
    return account
  }

  /// The account that acts, on a device that reaches iCloud. Throws `networkUnavailable` for one
  /// that does not, and as `requireAccount`.
  @discardableResult
  func requireActor() throws(CloudError) -> Account {
    try environment.requireNetwork()
    return try requireAccount()
  }

  /// Whose rights count: nobody's where the account may not be used.
  var actor: Account? { status == .available ? account : nil }

  /// Who may do what here.
  var permissions: PermissionRules { PermissionRules(database: self) }

  /// An offline device cannot read from iCloud. Without an account private data cannot be read
  /// (R1.3.2, M1.12) and, with `--strict`, nothing can in development, as in CloudKit.
  func requireReader() throws(CloudError) {
    try environment.requireNetwork()
    let isStrict = environment.request.isStrict && environment.environment == .development
    if scope != .public || isStrict { try requireAccount() }
  }

  /// Whose zones this database has: nobody's in public, nil also for an account that never wrote.
  func owner() throws -> StoredUser? {
    guard scope == .private, let account else { return nil }
    return try store.user(account, on: device)
  }

  // MARK: Zones

  /// The zones that are there. The default zone comes into being by the first save.
  func storedZones() throws -> [StoredZone] {
    if scope == .shared { return try sharedZones().map(\.zone) }
    let owner = try owner()
    if scope == .private, owner == nil { return [] }
    return try store.zones(scope, of: owner)
  }

  /// A zone as this database calls it: the account's own is its current user's, also where its
  /// user record name is given (R2.2).
  func identity(_ zone: ZoneID) -> ZoneID {
    if scope == .shared { return sharedIdentity(zone) }
    guard case .user(let owner) = zone.owner, let account,
      environment.userRecordName(account) == owner
    else { return zone }
    return ZoneID(zone.name)
  }

  /// A zone for reading; nil for a default zone that nobody has written to. Throws
  /// `zoneNotFound` for another one (R2.8).
  func zoneToRead(_ id: ZoneID) throws -> StoredZone? {
    let id = identity(id)
    if let zone = try storedZone(id) { return zone }
    guard id.isDefault, isOwn(id) else { throw try missing(id) }
    return nil
  }

  /// Why a zone is not there: its user threw it away or reset his keys (R2.11), or nobody
  /// saved it.
  func missing(_ id: ZoneID) throws -> CloudError {
    switch try deletionReason(of: id) {
    case .purged: .userDeletedZone(id)
    case .encryptedDataReset: .encryptedDataReset(id)
    case .deleted, nil: .zoneNotFound(id, among: try storedZones().map(\.zone.id))
    }
  }

  private func deletionReason(of id: ZoneID) throws -> ZoneDeletionReason? {
    if scope == .shared { return nil }
    return try store.deletedZones(scope, of: owner(), after: 0).first { $0.id == id }?.reason
  }

  /// Zones of others are in the shared database alone, and own ones are not (R2.2).
  private func isOwn(_ id: ZoneID) -> Bool { scope != .shared && id.owner == .current }

  private func storedZone(_ id: ZoneID) throws -> StoredZone? {
    if scope == .shared { return try sharedZone(id) }
    guard isOwn(id) else { return nil }
    guard scope == .private else { return try store.zone(id, scope, of: nil) }
    return try account.flatMap { try store.zone(id, of: $0) }
  }

  /// A zone for writing. Throws `zoneNotFound` for one that was never saved (R2.5).
  func zoneToWrite(_ id: ZoneID, _ writer: StoredUser) throws -> StoredZone {
    guard let zone = try zoneIfMade(id, writer) else { throw try missing(identity(id)) }
    return zone
  }

  /// A zone for writing; nil for one that nobody saved, or that its user threw away, so that it
  /// may be made. Throws `encryptedDataReset` for one whose keys were reset.
  func zoneIfMade(_ id: ZoneID, _ writer: StoredUser) throws -> StoredZone? {
    let id = identity(id)
    if scope == .shared { return try sharedZone(id) }
    guard isOwn(id) else { return nil }
    let owner = scope == .private ? writer : nil
    if let zone = try store.zone(id, scope, of: owner) { return zone }
    if id.isDefault { return try store.addZone(id, scope, of: owner) }
    guard try deletionReason(of: id) != .encryptedDataReset else {
      throw CloudError.encryptedDataReset(id)
    }
    return nil
  }
}
