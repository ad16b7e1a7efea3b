internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreHome
internal import UbiquityStore

// People, address books and devices belong to the store, not to a container.
extension CloudStore {
  /// Returns the person of an account; nil for none.
  public func person(of account: Account) throws(CloudError) -> Person? {
    try peopleFacts { $0.persons[account.name] }
  }

  /// Creates an account with the addresses and names others find it by. Returns false if it already
  /// exists. Throws `invalidArguments` for an address of another account.
  public func create(_ account: Account, _ person: Person) throws(CloudError) -> Bool {
    var isNew = true
    try changePeople { people in
      isNew = people.persons[account.name] == nil
      if isNew { try people.set(person, of: account) }
    }
    return isNew
  }

  /// Changes an account's person. Throws `unknownItem` for an unknown account, `invalidArguments`
  /// for an address of another account.
  public func edit(
    _ account: Account, for request: Request, _ change: (inout Person) -> Void
  ) throws(CloudError) {
    let known = try accounts(for: request)
    try changePeople { people in
      guard people.persons[account.name] != nil || known.contains(account) else {
        throw CloudError(
          .unknownItem, "no account '\(account.name)'",
          remedy: .nearest(to: account.name, among: known.map(\.name)))
      }
      var person = people.persons[account.name] ?? Person()
      change(&person)
      try people.set(person, of: account)
    }
  }

  // MARK: Address books

  /// The addresses in an account's address book, in byte order.
  public func contacts(of account: Account) throws(CloudError) -> [PersonAddress] {
    try people().contacts[account.name] ?? []
  }

  /// Adds addresses to an account's address book, or removes them. Returns how many changed.
  public func setContacts(
    _ addresses: [PersonAddress], of account: Account, areThere: Bool
  ) throws(CloudError) -> Int {
    var count = 0
    try changePeople { people in
      let known = Set(people.contacts[account.name] ?? [])
      let then = areThere ? known.union(addresses) : known.subtracting(addresses)
      count = abs(then.count - known.count)
      people.contacts[account.name] =
        then.isEmpty ? nil : then.sorted { utf8Precedes($0.text, $1.text) }
    }
    return count
  }

  // MARK: Devices

  /// The settings of a device; nil for none.
  public func device(_ device: Device) throws(CloudError) -> NamedDevice? {
    try peopleFacts { $0.devices[device.name] }
  }

  /// The devices that have settings, or that users have written on, in byte order of their names.
  public func devices(
    for request: Request
  ) throws(CloudError) -> [(device: Device, settings: NamedDevice)] {
    var devices = try people().devices
    try forEachEnvironment { (container, environment) throws(CloudError) in
      let open = try self.environment(container, environment, for: request)
      for (device, account) in try open.read({ try open.store.devices() })
      where device != .cli && devices[device.name] == nil {
        devices[device.name] = NamedDevice(account: try Account(account))
      }
    }
    return devices.sorted { utf8Precedes($0.key, $1.key) }.map {
      (Device(stored: $0.key), $0.value)
    }
  }

  /// Adds a device. Returns false if the name is taken.
  public func add(_ device: Device, _ settings: NamedDevice) throws(CloudError) -> Bool {
    var isNew = true
    try changePeople { people in
      isNew = people.devices[device.name] == nil
      if isNew { people.devices[device.name] = settings }
    }
    return isNew
  }

  /// Changes the settings of a device; adds an unknown device, with an account. If the account
  /// changes, the device shows the new account's keys.
  public func change(
    _ device: Device, of account: Account?, for request: Request,
    _ change: (inout NamedDevice) -> Void
  ) throws(CloudError) {
    var settings = NamedDevice(account: account)
    var old = settings
    try changePeople { people in
      old = people.devices[device.name] ?? settings
      settings = old
      change(&settings)
      people.devices[device.name] = settings
    }
    try noteAccount(settings.account, on: device, for: request)
    guard settings.kind == .mac, old.kind != .mac || settings.isOnline && !old.isOnline else {
      return
    }
    try downloadDocuments(
      wantedOnly: old.kind == .mac, on: device, of: settings.account, for: request)
  }

  /// Downloads documents that a device knows but does not have.
  private func downloadDocuments(
    wantedOnly: Bool, on device: Device, of account: Account?, for request: Request
  ) throws(CloudError) {
    guard let account, try status(of: account) == .available else { return }
    var request = request
    (request.account, request.device) = (account, device)
    try forEachKeyValueStore(for: request) { (keys) throws(CloudError) in
      try DocumentStore(keys.container, of: self, for: request, keys.settings)
        .downloadMissing(wantedOnly: wantedOnly)
    }
  }

  /// Connects a device, which then receives its notifications, or disconnects it.
  public func setOnline(
    _ isOnline: Bool, _ device: Device, of account: Account?, for request: Request
  ) throws(CloudError) {
    if let account {
      var request = request
      (request.account, request.device) = (account, device)
      try forEachEnvironment { (container, environment) throws(CloudError) in
        try self.environment(container, environment, for: request).setOnline(isOnline)
      }
    }
    try change(device, of: account, for: request) { $0.isOnline = isOnline }
  }

  /// Removes the settings of a device, its copies of key-value stores and its documents. Throws
  /// `unknownItem` if it has no settings.
  public func remove(_ device: Device, for request: Request) throws(CloudError) {
    try changePeople { people in
      guard people.devices.removeValue(forKey: device.name) != nil else {
        throw CloudError(
          .unknownItem, "no device '\(device.name)'",
          remedy: .nearest(to: device.name, among: people.devices.keys.sorted(by: utf8Precedes)))
      }
    }
    try forEachKeyValueStore(for: request) { (keys) throws(CloudError) in
      try keys.transaction { store in
        try store.removeCopies(on: device)
        for replica in try store.replicas(on: device) { try store.remove(replica) }
      }
    }
  }

  // MARK: The file

  func changePeople(_ work: (inout StorePeople) throws -> Void) throws(CloudError) {
    try requireStore()
    defer { noteChange() }
    try serving { try directory.changePeople(work) }
  }
}

extension StorePeople {
  /// Sets an account's person. Throws `invalidArguments` for an address of another account.
  fileprivate mutating func set(_ person: Person, of account: Account) throws(CloudError) {
    for address in person.addresses {
      guard let other = self.account(at: address), other != account else { continue }
      throw CloudError(
        .invalidArguments, "\(address.text) already belongs to account \(other.name)")
    }
    persons[account.name] = person
  }
}
