internal import CloudModel
internal import CloudServices
@_exported public import Foundation

/// Finds users (R11.3): by address contacts who agreed, by record name all who agreed.
struct Discovery: Sendable {
  /// What to look for; nil for all contacts.
  var lookups: [CKUserIdentity.LookupInfo]?

  /// The users found, with what found them; others are omitted without an error (R11.3.5).
  func run(_ client: Client, _ request: Request) throws -> [CKUserIdentity] {
    let database = try client.database(.private, for: request)
    let account = try database.requireAccount()
    guard let lookups else {
      return try database.environment.discoverAll(by: account).map { found in
        CKUserIdentity(found, found: found.address.map { .init($0) })
      }
    }
    return try lookups.compactMap { lookup in
      guard let known = lookup.lookup else { return nil }
      return try database.environment.discover([known], by: account).first.map {
        CKUserIdentity($0, found: lookup)
      }
    }
  }
}

extension CKUserIdentityLookupInfo {
  convenience init(_ address: PersonAddress) {
    switch address {
    case .email(let text): self.init(emailAddress: text)
    case .phone(let text): self.init(phoneNumber: text)
    }
  }

  /// The lookup of the service; nil for what cannot be an address.
  fileprivate var lookup: UserLookup? {
    if let emailAddress { return (try? PersonAddress(email: emailAddress)).map { .address($0) } }
    if let phoneNumber { return (try? PersonAddress(phone: phoneNumber)).map { .address($0) } }
    return userRecordID.map { .name(UserRecordName(stored: $0.recordName)) }
  }
}

extension CKContainer {
  /// Finds a user by e-mail address; nil for none.
  public func userIdentity(forEmailAddress email: String) async throws -> CKUserIdentity? {
    try await client.perform(
      .reading, Discovery(lookups: [.init(emailAddress: email)]).run
    ).first
  }

  /// Finds a user by phone number; nil for none.
  public func userIdentity(forPhoneNumber phoneNumber: String) async throws -> CKUserIdentity? {
    try await client.perform(
      .reading, Discovery(lookups: [.init(phoneNumber: phoneNumber)]).run
    ).first
  }

  /// Finds a user by record name; nil for none.
  public func userIdentity(
    forUserRecordID userRecordID: CKRecord.ID
  ) async throws -> CKUserIdentity? {
    try await client.perform(
      .reading, Discovery(lookups: [.init(userRecordID: userRecordID)]).run
    ).first
  }

  /// Finds users by e-mail addresses.
  public func userIdentities(
    forEmailAddresses emails: [String]
  ) async throws -> [String: CKUserIdentity] {
    try await identities(CKUserIdentity.LookupInfo.lookupInfos(withEmails: emails)) {
      $0.emailAddress
    }
  }

  /// Finds users by phone numbers.
  public func userIdentities(
    forPhoneNumbers phoneNumbers: [String]
  ) async throws -> [String: CKUserIdentity] {
    try await identities(CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: phoneNumbers)) {
      $0.phoneNumber
    }
  }

  /// Finds users by record names.
  public func userIdentities(
    forUserRecordIDs userRecordIDs: [CKRecord.ID]
  ) async throws -> [CKRecord.ID: CKUserIdentity] {
    try await identities(CKUserIdentity.LookupInfo.lookupInfos(with: userRecordIDs)) {
      $0.userRecordID
    }
  }

  private func identities<Key: Hashable>(
    _ lookups: [CKUserIdentity.LookupInfo], _ key: (CKUserIdentity.LookupInfo) -> Key?
  ) async throws -> [Key: CKUserIdentity] {
    var found: [Key: CKUserIdentity] = [:]
    for identity in try await client.perform(.reading, Discovery(lookups: lookups).run) {
      if let key = identity.lookupInfo.flatMap(key) { found[key] = identity }
    }
    return found
  }

  /// Finds all contacts who use the app and agreed.
  public func allUserIdentitiesFromContacts() async throws -> [CKUserIdentity] {
    try await client.perform(.reading, Discovery().run)
  }

  /// Finds all contacts who use the app and agreed, and passes them or an error.
  @preconcurrency
  public func discoverAllIdentities(
    completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void
  ) {
    client.perform(.reading, Discovery().run) { completionHandler($0.value, $0.error) }
  }

  /// Finds a user by e-mail address, and passes the user, nil for none, or an error.
  @preconcurrency
  public func discoverUserIdentity(
    withEmailAddress email: String,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) { discover(.init(emailAddress: email), completionHandler) }

  /// Finds a user by phone number, and passes the user, nil for none, or an error.
  @preconcurrency
  public func discoverUserIdentity(
    withPhoneNumber phoneNumber: String,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) { discover(.init(phoneNumber: phoneNumber), completionHandler) }

  /// Finds a user by record name, and passes the user, nil for none, or an error.
  @preconcurrency
  public func discoverUserIdentity(
    withUserRecordID userRecordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) { discover(.init(userRecordID: userRecordID), completionHandler) }

  private func discover(
    _ lookup: CKUserIdentity.LookupInfo,
    _ handler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    client.perform(.reading, Discovery(lookups: [lookup]).run) {
      handler($0.value?.first, $0.error)
    }
  }
}

/// Finds users.
open class CKDiscoverUserIdentitiesOperation: CKOperation, @unchecked Sendable {
  /// What to look for.
  public var userIdentityLookupInfos: [CKUserIdentity.LookupInfo] = []
  /// Called with each user, and what found the user.
  public var userIdentityDiscoveredBlock: ((CKUserIdentity, CKUserIdentity.LookupInfo) -> Void)?
  /// Called last.
  public var discoverUserIdentitiesResultBlock: ((Result<Void, any Error>) -> Void)?
  /// Called last.
  public var discoverUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?

  /// Creates an operation.
  public override init() { super.init() }

  /// Creates an operation that looks users up.
  public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
    self.init()
    self.userIdentityLookupInfos = userIdentityLookupInfos
  }

  override func execute() {
    run(.reading, Discovery(lookups: userIdentityLookupInfos).run) { [self] result in
      for identity in result.value ?? [] {
        if let lookup = identity.lookupInfo { userIdentityDiscoveredBlock?(identity, lookup) }
      }
      finish { [self] in
        discoverUserIdentitiesCompletionBlock?(result.error)
        discoverUserIdentitiesResultBlock?(result.map { _ in })
      }
    }
  }

  override func releaseBlocks() {
    super.releaseBlocks()
    (userIdentityDiscoveredBlock, discoverUserIdentitiesResultBlock) = (nil, nil)
    discoverUserIdentitiesCompletionBlock = nil
  }
}

/// Finds all contacts who use the app and agreed.
open class CKDiscoverAllUserIdentitiesOperation: CKOperation, @unchecked Sendable {
  /// Called with each user.
  public var userIdentityDiscoveredBlock: ((CKUserIdentity) -> Void)?
  /// Called last.
  public var discoverAllUserIdentitiesResultBlock: ((Result<Void, any Error>) -> Void)?
  /// Called last.
  public var discoverAllUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?

  /// Creates an operation.
  public override init() { super.init() }

  override func execute() {
    run(.reading, Discovery().run) { [self] result in
      for identity in result.value ?? [] { userIdentityDiscoveredBlock?(identity) }
      finish { [self] in
        discoverAllUserIdentitiesCompletionBlock?(result.error)
        discoverAllUserIdentitiesResultBlock?(result.map { _ in })
      }
    }
  }

  override func releaseBlocks() {
    super.releaseBlocks()
    (userIdentityDiscoveredBlock, discoverAllUserIdentitiesResultBlock) = (nil, nil)
    discoverAllUserIdentitiesCompletionBlock = nil
  }
}
