public import CloudModel
internal import RecordStore

/// A database as an account sees it (R1.1.7): the one public, the account's private one, or
/// its window on what others share.
public struct CloudDatabase {
  /// The environment that it is part of.
  public let environment: CloudEnvironment
  /// Which database it is.
  public let scope: DatabaseScope
  /// How that account stands: one that is not available may do what nobody may.
  public let status: AccountStatus
  /// How many bytes the database may hold; nil for any number.
  public let quota: Int64?

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

  /// Whose rights count: nobody's where the account may not be used.
  var actor: Account? { status == .available ? account : nil }

  /// Who may do what here.
  var permissions: PermissionRules { PermissionRules(database: self) }

  /// Without an account nobody reads private data (R1.3.2, M1.12), and with `--strict` nothing at
  /// all in development, as in CloudKit.
  func requireReader() throws(CloudError) {
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
    let owner = try owner()
    if scope == .private, owner == nil { return [] }
    return try store.zones(scope, of: owner)
  }

  /// A zone for reading; nil for a default zone that nobody has written to. Throws
  /// `zoneNotFound` for another one (R2.8).
  func zoneToRead(_ name: ZoneName) throws -> StoredZone? {
    if let zone = try storedZone(name) { return zone }
    guard name.isDefault, scope != .shared else { throw try missing(name) }
    return nil
  }

  /// Why a zone is not there: its user threw it away or reset his keys (R2.11), or nobody
  /// saved it.
  func missing(_ name: ZoneName) throws -> CloudError {
    switch try deletionReason(of: name) {
    case .purged: .userDeletedZone(name)
    case .encryptedDataReset: .encryptedDataReset(name)
    case .deleted, nil: .zoneNotFound(name, among: try storedZones().map(\.zone.name))
    }
  }

  private func deletionReason(of name: ZoneName) throws -> ZoneDeletionReason? {
    try store.deletedZones(scope, of: owner(), after: 0).first { $0.name == name }?.reason
  }

  private func storedZone(_ name: ZoneName) throws -> StoredZone? {
    guard scope == .private else { return try store.zone(name, scope, of: nil) }
    return try account.flatMap { try store.zone(name, of: $0) }
  }

  /// A zone for writing. Throws `zoneNotFound` for one that was never saved (R2.5).
  func zoneToWrite(_ name: ZoneName, _ writer: StoredUser) throws -> StoredZone {
    guard let zone = try zoneIfMade(name, writer) else { throw try missing(name) }
    return zone
  }

  /// A zone for writing; nil for one that nobody saved, or that its user threw away, so that it
  /// may be made. Throws `encryptedDataReset` for one whose keys were reset.
  func zoneIfMade(_ name: ZoneName, _ writer: StoredUser) throws -> StoredZone? {
    let owner = scope == .private ? writer : nil
    if let zone = try store.zone(name, scope, of: owner) { return zone }
    if name.isDefault, scope != .shared { return try store.addZone(name, scope, of: owner) }
    guard try deletionReason(of: name) != .encryptedDataReset else {
      throw CloudError.encryptedDataReset(name)
    }
    return nil
  }
}
