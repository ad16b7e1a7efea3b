public import CloudModel
internal import SQLite
public import StoreFiles

/// The copy of an account's key-value store on a device.
public struct DeviceCopy: Sendable {
  /// The number of the row.
  public internal(set) var number: Int64 = 0
  /// The account; nil for keys that were written while no account was signed in.
  public let account: Account?
  /// The device.
  public let device: Device
  /// The number of the last change in iCloud that arrived.
  public var seen: Int64 = 0
  /// Whether it was synchronized at least once.
  public var isSynchronized = false
  /// Whether the device shows this copy.
  public var isCurrent = true
  /// When the device may synchronize again, in milliseconds.
  public var free: Int64 = 0

  init(of account: Account?, on device: Device) { (self.account, self.device) = (account, device) }
}

extension DeviceCopy: StoredRow {
  package static let table = UbiquityTables.device

  package init(_ row: Row) {
    let account: Account = row["account"]
    self.init(of: account.name.isEmpty ? nil : account, on: row["name"])
    (number, seen, free) = (row.number, row["seen"], row["free"])
    (isSynchronized, isCurrent) = (row["synchronized"], row["isCurrent"])
  }

  package var values: KeyValuePairs<String, any StoredValue> {
    [
      "account": account?.name ?? "", "name": device, "seen": seen,
      "synchronized": isSynchronized, "isCurrent": isCurrent, "free": free,
    ]
  }
}

extension UbiquityStore {
  /// The copy of an account on a device; nil if there is none.
  public func copy(of account: Account?, on device: Device) throws(StoreError) -> DeviceCopy? {
    try row("WHERE account = ? AND name = ?", [account?.name ?? "", device])
  }

  /// The copies of an account, in byte order of the devices.
  public func copies(of account: Account?) throws(StoreError) -> [DeviceCopy] {
    try rows("WHERE account = ? ORDER BY name", [account?.name ?? ""])
  }

  /// The copies of all accounts on a device.
  public func copies(on device: Device) throws(StoreError) -> [DeviceCopy] {
    try rows("WHERE name = ? ORDER BY account", [device])
  }

  /// Adds an empty copy.
  public func makeCopy(
    of account: Account?, on device: Device
  ) throws(StoreError) -> DeviceCopy {
    var copy = DeviceCopy(of: account, on: device)
    copy.number = try insert(copy)
    database.catalogCopy.add()
    return copy
  }

  /// Stores a changed copy.
  public func update(_ copy: DeviceCopy) throws(StoreError) { try change(copy) }

  /// Removes the copies on a device with their events.
  public func removeCopies(on device: Device) throws(StoreError) {
    try remove(copies(on: device))
  }

  private func remove(_ copies: [DeviceCopy]) throws(StoreError) {
    if copies.isEmpty { return }
    noteChange()
    database.catalogCopy.change()
    for copy in copies {
      for table in [UbiquityTables.entry, UbiquityTables.event] {
        try database.delete(from: table, "device = ?", [copy.number])
      }
      try database.delete(copy)
    }
  }

  /// Removes everything of an account: iCloud's keys, and the copies of its devices with their
  /// events. Returns whether there was any.
  public func removeAll(of account: Account) throws(StoreError) -> Bool {
    let copies = try copies(of: account)
    try remove(copies)
    let keys = try database.delete(from: UbiquityTables.server, "account = ?", [account])
    guard keys > 0 || !copies.isEmpty else { return false }
    noteChange()
    return true
  }

  /// The accounts that have keys or documents, in byte order.
  public func accountNames() throws(StoreError) -> [String] {
    try database.values(
      """
      SELECT account FROM _device WHERE account <> '' UNION SELECT account FROM _server
      UNION SELECT account FROM _document UNION SELECT account FROM _replica ORDER BY 1
      """)
  }
}
