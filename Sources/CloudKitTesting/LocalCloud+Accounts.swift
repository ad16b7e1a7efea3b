public import CloudKit
internal import CloudModel
internal import CloudServices

extension LocalCloud {
  /// Signs an account in on a device, and makes it available. Posts `CKAccountChanged`.
  public func signIn(_ account: String, device: String? = nil) throws {
    try changingAccounts {
      let known = try Account(account)
      try cloud.store.set(.available, of: known)
      try setAccount(known, on: device)
    }
  }

  /// Signs an account out: on a device, or without one everywhere. Requests fail with
  /// `notAuthenticated` then. Posts `CKAccountChanged`.
  public func signOut(_ account: String, device: String? = nil) throws {
    try changingAccounts {
      guard device != nil else {
        return try cloud.store.set(.noAccount, of: Account(account))
      }
      try setAccount(nil, on: device)
    }
  }

  /// Sets the status of an account, on all devices. Posts `CKAccountChanged`.
  public func setStatus(_ status: CKAccountStatus, of account: String) throws {
    try changingAccounts {
      try cloud.store.set(AccountStatus(status), of: Account(account))
    }
  }

  /// Connects a device to iCloud, or disconnects it: then requests fail with `networkUnavailable`.
  public func setOnline(_ isOnline: Bool, device: String) throws {
    try ckErrors {
      let named = try Device(device)
      let account = try cloud.store.device(named)?.account
      try cloud.store.setOnline(isOnline, named, of: account, for: request)
    }
  }

  /// Limits the bytes of an account's private databases; nil for no limit. Saves beyond it fail
  /// with `quotaExceeded`.
  public func setQuota(_ bytes: Int64?, of account: String) throws {
    try ckErrors { try cloud.store.set(quota: bytes, of: Account(account)) }
  }

  /// Gives an account a name and addresses, by which others find it.
  public func setPerson(
    of account: String, givenName: String? = nil, familyName: String? = nil,
    emailAddresses: [String] = [], phoneNumbers: [String] = []
  ) throws {
    try ckErrors {
      let known = try Account(account)
      let addresses =
        try emailAddresses.map { try PersonAddress(email: $0) }
        + phoneNumbers.map { try PersonAddress(phone: $0) }
      let person = Person(givenName: givenName, familyName: familyName, addresses: addresses)
      if try !cloud.store.create(known, person) {
        try cloud.store.edit(known, for: request) { $0 = person }
      }
    }
  }

  /// Adds e-mail addresses or phone numbers to an account's address book.
  public func addContacts(_ addresses: [String], of account: String) throws {
    try ckErrors {
      _ = try cloud.store.setContacts(
        addresses.map { try PersonAddress($0) }, of: Account(account), areThere: true)
    }
  }

  /// Sets an account's answer to whether users of a container may find it.
  public func setDiscoverability(
    _ status: CKContainer.ApplicationPermissionStatus, of account: String, in container: String
  ) throws {
    try ckErrors {
      let environment = try cloud.environment(ContainerID(container), for: request)
      try environment.set(Discoverability(rawValue: status.rawValue), of: Account(account))
    }
  }

  private func setAccount(_ account: Account?, on device: String?) throws {
    guard let device else { return }
    try cloud.store.change(Device(device), of: account, for: request) { $0.account = account }
  }

  private func changingAccounts(_ body: () throws -> Void) throws {
    try ckErrors(body)
    NotificationCenter.default.post(name: .CKAccountChanged, object: nil)
  }
}

extension AccountStatus {
  fileprivate init(_ status: CKAccountStatus) {
    switch status {
    case .couldNotDetermine: self = .couldNotDetermine
    case .available: self = .available
    case .restricted: self = .restricted
    case .noAccount: self = .noAccount
    case .temporarilyUnavailable: self = .temporarilyUnavailable
    }
  }
}
