internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// A user who has written into an environment, on one of his devices.
public struct StoredUser: Sendable {
  /// The number of his row: the owner of his zones.
  let number: Int64
  /// The number of the row of him on the device: the creator and modifier of records.
  let author: Int64
  /// His record name in the container.
  public let name: UserRecordName
  /// The device.
  public let device: Device
}

/// The authors of an environment's records, by row.
final class UserTable {
  private let connection: Connection
  // Few authors write into one environment, and a dictionary costs more than it saves at start.
  private var authors: [Author] = []
  private var known: (account: Account, user: StoredUser)?

  private struct Author {
    let row: Int64
    let name: UserRecordName
    let device: Device
  }

  /// Whether rows that are not what was written are taken as they are.
  private let isPatient: Bool

  init(_ connection: Connection, isPatient: Bool = false) {
    self.connection = connection
    self.isPatient = isPatient
  }

  func forget() {
    authors.removeAll()
    known = nil
  }

  func author(_ row: Int64) throws(SQLiteError) -> (name: UserRecordName, device: Device) {
    if let known = authors.first(where: { $0.row == row }) { return (known.name, known.device) }
    let statement = try connection.statement(
      """
      SELECT u.name, a.device, \(RowSeal.fits("_author", "a")), \(RowSeal.fits("_user", "u"))
      FROM _author a JOIN _user u ON u._id = a.user WHERE a._id = ?
      """)
    statement.bind(row, 1)
    let isThere = try statement.step()
    if !isPatient {
      guard isThere else {
        throw SQLiteError(code: 11, message: "a row of _author or _user is missing")
      }
      try RowSeal.require(statement, 2, of: "_author")
      try RowSeal.require(statement, 3, of: "_user")
    }
    let name = UserRecordName(stored: isThere ? statement.text(0) : "")
    let device = Device(stored: isThere ? statement.text(1) : "")
    statement.reset()
    authors.append(Author(row: row, name: name, device: device))
    return (name, device)
  }

  /// The user of an account on a device; nil when the account has never written here.
  func user(_ account: Account, on device: Device) throws(SQLiteError) -> StoredUser? {
    if let known, known.account == account, known.user.device == device { return known.user }
    let statement = try connection.statement(
      """
      SELECT u._id, ifnull(a._id, 0), u.name, \(RowSeal.fits("_user", "u")) FROM _user u
      LEFT JOIN _author a ON a.user = u._id AND a.device = ? WHERE u.account = ?
      """)
    statement.bind(device.name, 1)
    statement.bind(account.name, 2)
    guard try statement.step() else {
      try requireNone(account)
      return nil
    }
    defer { statement.reset() }
    if !isPatient { try RowSeal.require(statement, 3, of: "_user") }
    let user = StoredUser(
      number: statement.int64(0), author: statement.int64(1),
      name: UserRecordName(stored: statement.text(2)), device: device)
    if user.author != 0 { known = (account, user) }
    return user
  }

  /// Throws `SQLiteError` where a row has the account that an index does not lead to.
  private func requireNone(_ account: Account) throws(SQLiteError) {
    let statement = try connection.statement("SELECT 1 FROM _user NOT INDEXED WHERE account = ?")
    statement.bind(account.name, 1)
    guard try statement.step() else { return }
    statement.reset()
    throw SQLiteError(code: 11, message: "an index of _user is damaged")
  }

  func add(
    _ account: Account, _ name: UserRecordName, on device: Device
  ) throws(SQLiteError) -> StoredUser {
    let statement = try connection.statement(
      "INSERT INTO _user(account, name, seal) VALUES (?1, ?2, ckdb_seal(?1, ?2))")
    statement.bind(account.name, 1)
    statement.bind(name.text, 2)
    try statement.run()
    let user = StoredUser(
      number: connection.lastInsertedRow, author: 0, name: name, device: device)
    return try add(device, of: user)
  }

  func add(_ device: Device, of user: StoredUser) throws(SQLiteError) -> StoredUser {
    let statement = try connection.statement(
      "INSERT INTO _author(user, device, seal) VALUES (?1, ?2, ckdb_seal(?1, ?2))")
    statement.bind(user.number, 1)
    statement.bind(device.name, 2)
    try statement.run()
    return StoredUser(
      number: user.number, author: connection.lastInsertedRow, name: user.name, device: device)
  }
}

extension EnvironmentStore {
  /// The user of an account, for reading; nil when he has never written here.
  public func user(_ account: Account, on device: Device) throws(StoreError) -> StoredUser? {
    try sql { () throws(SQLiteError) in try users.user(account, on: device) }
  }

  /// The user of an account, for writing: the device joins those that he has written on. Nil when
  /// he has never written here.
  public func writer(_ account: Account, on device: Device) throws(StoreError) -> StoredUser? {
    try sql { () throws(SQLiteError) in
      guard let user = try users.user(account, on: device) else { return nil }
      if user.author != 0 { return user }
      catalog.isCopyStale = true
      return try users.add(device, of: user)
    }
  }

  /// The names of the accounts that have written here.
  public func accountNames() throws(StoreError) -> [String] {
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT account, \(RowSeal.fits("_user")) FROM _user
        WHERE account NOT LIKE '\(Self.deletedMark)%'
        """)
      var names: [String] = []
      while try statement.step() {
        try RowSeal.require(statement, 1, of: "_user")
        names.append(statement.text(0))
      }
      return names
    }
  }

  /// The devices that users have written on, with their accounts.
  public func devices() throws(StoreError) -> [(device: Device, account: String)] {
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT DISTINCT a.device, u.account FROM _author a JOIN _user u ON u._id = a.user
        WHERE u.account NOT LIKE '\(Self.deletedMark)%'
        """)
      var devices: [(Device, String)] = []
      while try statement.step() {
        devices.append((Device(stored: statement.text(0)), statement.text(1)))
      }
      return devices
    }
  }

  /// The rows of the devices that a user has written on, by his record name.
  public func authors(named name: UserRecordName) throws(StoreError) -> Set<Int64> {
    try sql { () throws(SQLiteError) in
      let statement = try connection.statement(
        "SELECT a._id FROM _author a JOIN _user u ON u._id = a.user WHERE u.name = ?")
      statement.bind(name.text, 1)
      var rows: Set<Int64> = []
      while try statement.step() { rows.insert(statement.int64(0)) }
      return rows
    }
  }

  /// What the rows of users begin with whose account is deleted: they stay as the creators and
  /// modifiers of records in the zones of others. No account has such a name.
  private static let deletedMark = "\u{1}"

  /// Deletes the user of an account, whose zones and own records are gone. Throws `StoreError`.
  public func deleteUser(_ user: StoredUser) throws {
    for isPublic in [true, false] {
      let zone = usersZone(isPublic: isPublic)
      guard let record = try record(RecordName(user.name), in: zone) else { continue }
      var doomed = DoomedRecords(in: zone, of: self)
      doomed.add(record)
      try doomed.delete()
      // Nobody follows these zones, and a new account of the name has the same record's name.
      try removeTombstone(record.record.name, in: zone)
    }
    catalog.isCopyStale = true
    try sql { () throws(SQLiteError) in
      let row = try connection.transientStatement(
        """
        UPDATE _user SET account = ?1 || _id || ' ' || account,
          seal = ckdb_seal(?1 || _id || ' ' || account, name) WHERE _id = ?2
        """)
      row.bind(Self.deletedMark, 1)
      row.bind(user.number, 2)
      try row.run()
      users.forget()
    }
  }

  /// Adds the user of an account.
  public func addUser(
    _ account: Account, name: UserRecordName, on device: Device
  ) throws(StoreError) -> StoredUser {
    catalog.isCopyStale = true
    return try sql { () throws(SQLiteError) in try users.add(account, name, on: device) }
  }
}

extension UserRecordName {
  /// The record name of an account in a container: `_` and the first 32 hexadecimal digits of
  /// SHA-256(container, NUL, account).
  public init(container: ContainerID, account: Account) {
    let digest = SHA256.hash(Array("\(container.text)\0\(account.name)".utf8))
    self.init(stored: "_" + Array(digest.prefix(16)).hexadecimal)
  }
}
