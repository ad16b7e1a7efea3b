public import CloudModel
internal import SQLite
public import StoreFiles

/// The copy of an account's key-value store on a device.
public struct DeviceCopy: Sendable {
  /// The row.
  public let number: Int64
  /// Whose store it is a copy of; nil for what nobody signed in has written.
  public let account: Account?
  /// The device.
  public let device: Device
  /// The number of iCloud's last change that arrived.
  public var seen: Int64 = 0
  /// Whether it was synchronized at least once.
  public var isSynchronized = false
  /// Whether it is the one that the device shows.
  public var isCurrent = true
  /// From when on the device may synchronize, in milliseconds.
  public var free: Int64 = 0
}

extension UbiquityStore {
  private static let columns = """
    _id, account, name, seen, synchronized, isCurrent, free, \(UbiquityTables.device.fits())
    """

  /// The copy of an account on a device; nil for none.
  public func copy(of account: Account?, on device: Device) throws(StoreError) -> DeviceCopy? {
    try copies("account = ?1 AND name = ?2", account?.name ?? "", device.name).first
  }

  /// The copies of an account, in byte order of the devices.
  public func copies(of account: Account?) throws(StoreError) -> [DeviceCopy] {
    try copies("account = ?1 AND ?2 = ''", account?.name ?? "", "")
  }

  /// The copies of all accounts on a device.
  public func copies(on device: Device) throws(StoreError) -> [DeviceCopy] {
    try copies("name = ?1 AND ?2 = ''", device.name, "")
  }

  private func copies(
    _ condition: String, _ first: String, _ second: String
  ) throws(StoreError) -> [DeviceCopy] {
    try sql { () throws(SQLiteError) in
      let row = try connection.statement(
        "SELECT \(Self.columns) FROM _device WHERE \(condition) ORDER BY name, account")
      row.bind(first, 1)
      row.bind(second, 2)
      var found: [DeviceCopy] = []
      while try row.step() {
        try UbiquityTables.device.require(row, 7)
        let account = row.text(1)
        found.append(
          DeviceCopy(
            number: row.int64(0), account: account.isEmpty ? nil : Account(stored: account),
            device: Device(stored: row.text(2)), seen: row.int64(3),
            isSynchronized: row.int64(4) != 0, isCurrent: row.int64(5) != 0, free: row.int64(6)))
      }
      return found
    }
  }

  /// Makes an empty copy.
  public func makeCopy(
    of account: Account?, on device: Device
  ) throws(StoreError) -> DeviceCopy {
    noteChange()
    return try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        INSERT INTO _device(account, name, seen, synchronized, isCurrent, free, seal)
        VALUES (?1, ?2, 0, 0, 1, 0, ckdb_seal(?1, ?2, 0, 0, 1, 0))
        """)
      statement.bind(account?.name ?? "", 1)
      statement.bind(device.name, 2)
      try statement.run()
      return DeviceCopy(number: connection.lastInsertedRow, account: account, device: device)
    }
  }

  /// Keeps what was changed of a copy.
  public func update(_ copy: DeviceCopy) throws(StoreError) {
    noteChange()
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        UPDATE _device SET seen = ?2, synchronized = ?3, isCurrent = ?4, free = ?5,
          seal = ckdb_seal(account, name, ?2, ?3, ?4, ?5) WHERE _id = ?1
        """)
      statement.bind(copy.number, 1)
      statement.bind(copy.seen, 2)
      statement.bind(Int64(copy.isSynchronized ? 1 : 0), 3)
      statement.bind(Int64(copy.isCurrent ? 1 : 0), 4)
      statement.bind(copy.free, 5)
      try statement.run()
    }
  }

  /// Removes the copies on a device with their events.
  public func removeCopies(on device: Device) throws(StoreError) {
    try remove(copies(on: device))
  }

  private func remove(_ copies: [DeviceCopy]) throws(StoreError) {
    if copies.isEmpty { return }
    noteChange()
    try sql { () throws(SQLiteError) in
      for copy in copies {
        for table in ["_entry", "_event"] {
          try connection.execute("DELETE FROM \(table) WHERE device = \(copy.number)")
        }
        try connection.execute("DELETE FROM _device WHERE _id = \(copy.number)")
      }
    }
  }

  /// Removes all that there is of an account: iCloud's keys, and the copies of its devices with
  /// their events. Returns whether there was any.
  public func removeAll(of account: Account) throws(StoreError) -> Bool {
    let copies = try copies(of: account)
    try remove(copies)
    var count = copies.count
    try sql { () throws(SQLiteError) in
      let statement = try connection.transientStatement("DELETE FROM _server WHERE account = ?")
      statement.bind(account.name, 1)
      try statement.run()
      count += connection.changedRows
    }
    if count > 0 { noteChange() }
    return count > 0
  }

  /// The accounts that have keys or documents, in byte order.
  public func accountNames() throws(StoreError) -> [String] {
    try sql { () throws(SQLiteError) in
      let row = try connection.transientStatement(
        """
        SELECT account FROM _device WHERE account <> '' UNION SELECT account FROM _server
        UNION SELECT account FROM _document UNION SELECT account FROM _replica ORDER BY 1
        """)
      var names: [String] = []
      while try row.step() { names.append(row.text(0)) }
      return names
    }
  }
}
