internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// A user who has written into an environment, on one device.
public struct StoredUser: Sendable {
  /// The number of the user's row: the owner of the user's zones.
  let number: Int64
  /// The number of the author's row, for this device: the creator and modifier of records.
  let author: Int64
  /// The user record name in the container.
  public let name: UserRecordName
  /// The device.
  public let device: Device
}

/// The authors of an environment's records, by row.
final class UserTable {
  private let database: OpenDatabase
  private var connection: Connection { database.connection }
  // Few authors write into most environments, and a dictionary would cost more at start than it
  // saves. The rest of many are in one.
  private var authors: [Author] = []
  private var otherAuthors: [Int64: Author] = [:]
  private static let few = 32
  private var known: (account: Account, user: StoredUser)?

  private struct Author {
    let row: Int64
    let name: UserRecordName
    let device: Device
  }

  /// Whether damaged rows are read as they are.
  private let allowsDamage: Bool

  init(_ database: OpenDatabase, allowsDamage: Bool = false) {
    self.database = database
    self.allowsDamage = allowsDamage
  }

  func forget() {
    authors.removeAll()
    otherAuthors.removeAll()
    known = nil
  }

  func author(_ row: Int64) throws(StoreError) -> (name: UserRecordName, device: Device) {
    if let known = authors.first(where: { $0.row == row }) ?? otherAuthors[row] {
      return (known.name, known.device)
    }
    let statement = try connection.prepared(Self.authorOfRow)
    statement.bind(row, 1)
    let isThere = try statement.next()
    guard isThere || allowsDamage else {
      throw connection.damage("a row of _author or _user is missing")
    }
    let author = try self.row(EnvironmentTables.author, in: statement)
    let user = try self.row(
      EnvironmentTables.user, in: statement, from: EnvironmentTables.author.width)
    let known = Author(
      row: row, name: isThere ? user["name"] : UserRecordName(stored: ""),
      device: isThere ? author["device"] : Device(stored: ""))
    statement.reset()
    if authors.count < Self.few { authors.append(known) } else { otherAuthors[row] = known }
    return (known.name, known.device)
  }

  // The texts that each command needs are made once.
  private static let authorOfRow = """
    SELECT \(EnvironmentTables.author.selection("a")), \(EnvironmentTables.user.selection("u"))
    FROM _author a JOIN _user u ON u._id = a.user WHERE a._id = ?
    """
  private static let userOfAccount = """
    SELECT \(EnvironmentTables.user.selection("u")), a._id FROM _user u
    LEFT JOIN _author a ON a.user = u._id AND a.device = ? WHERE u.account = ?
    """

  /// A row. Throws for a damaged one, unless damage is allowed.
  private func row(
    _ table: Table, in statement: Statement, from first: Int = 0
  ) throws(StoreError) -> Row {
    if allowsDamage { return Row(damaged: table, in: statement, from: first) }
    return try Row(table, in: statement, from: first)
  }

  /// The user of an account on a device; nil if the account has never written here.
  func user(_ account: Account, on device: Device) throws(StoreError) -> StoredUser? {
    if let known, known.account == account, known.user.device == device { return known.user }
    let statement = try connection.prepared(Self.userOfAccount)
    statement.bind(device.name, 1)
    statement.bind(account.name, 2)
    guard try statement.next() else {
      try requireNone(account)
      return nil
    }
    defer { statement.reset() }
    let row = try row(EnvironmentTables.user, in: statement)
    let user = StoredUser(
      number: row.number, author: statement.int64(EnvironmentTables.user.width), name: row["name"],
      device: device)
    if user.author != 0 { known = (account, user) }
    return user
  }

  /// Throws `corrupt` if a row has the account although an index does not lead to it.
  private func requireNone(_ account: Account) throws(StoreError) {
    if database.mayTrust(index: "sqlite_autoindex__user_1", of: "_user") { return }
    if try database.hasRow("SELECT 1 FROM _user NOT INDEXED WHERE account = ?", [account]) {
      throw connection.damage("an index of _user is damaged")
    }
  }

  func add(
    _ account: Account, _ name: UserRecordName, on device: Device
  ) throws(StoreError) -> StoredUser {
    let number = try database.insert(
      EnvironmentTables.user, ["account": account, "name": name])
    return try add(
      device, of: StoredUser(number: number, author: 0, name: name, device: device))
  }

  func add(_ device: Device, of user: StoredUser) throws(StoreError) -> StoredUser {
    let author = try database.insert(
      EnvironmentTables.author, ["user": user.number, "device": device])
    return StoredUser(number: user.number, author: author, name: user.name, device: device)
  }
}

extension EnvironmentStore {
  /// The user of an account, for reading; nil if the account has never written here.
  public func user(_ account: Account, on device: Device) throws(StoreError) -> StoredUser? {
    try users.user(account, on: device)
  }

  /// The user of an account, for writing; adds the device to those of the user. Nil if the account
  /// has never written here.
  public func writer(_ account: Account, on device: Device) throws(StoreError) -> StoredUser? {
    guard let user = try users.user(account, on: device) else { return nil }
    if user.author != 0 { return user }
    database.catalogCopy.add()
    return try users.add(device, of: user)
  }

  /// The names of the accounts that have written here; at most `limit`, or all.
  public func accountNames(limit: Int? = nil) throws(StoreError) -> [String] {
    try database.all(
      """
      SELECT \(EnvironmentTables.user.selection()) FROM _user
      WHERE account NOT LIKE '\(Self.deletedMark)%' LIMIT ?
      """, [limit ?? -1]
    ) { (row) throws(StoreError) in try Row(EnvironmentTables.user, in: row)["account"] }
  }

  /// The devices that users have written on, with their accounts.
  public func devices() throws(StoreError) -> [(device: Device, account: String)] {
    try database.all(
      """
      SELECT DISTINCT a.device, u.account FROM _author a JOIN _user u ON u._id = a.user
      WHERE u.account NOT LIKE '\(Self.deletedMark)%'
      """
    ) { row in
      var cells = Cells(row)
      return (cells.next(), cells.next())
    }
  }

  /// The rows of the devices that a user has written on, by user record name.
  public func authors(named name: UserRecordName) throws(StoreError) -> Set<Int64> {
    Set(
      try database.values(
        "SELECT a._id FROM _author a JOIN _user u ON u._id = a.user WHERE u.name = ?", [name]))
  }

  /// The prefix of the accounts of deleted users. Their rows remain as creators and modifiers of
  /// records in the zones of others. No account has such a name.
  static let deletedMark = "\u{1}"

  /// Deletes the user of an account, whose zones and own records are already deleted.
  public func deleteUser(_ user: StoredUser) throws {
    for isPublic in [true, false] {
      let zone = usersZone(isPublic: isPublic)
      guard let record = try record(RecordName(user.name), in: zone) else { continue }
      var doomed = DoomedRecords(in: zone, of: self)
      doomed.add(record)
      try doomed.delete()
      // No client follows these zones, and a new account of the name gets the same record name.
      try removeTombstone(record.record.name, in: zone)
    }
    database.catalogCopy.change()
    try database.run(
      EnvironmentTables.user.update(["account": "?1 || _id || ' ' || account"]) + " WHERE _id = ?2",
      [Self.deletedMark, user.number])
    users.forget()
  }

  /// Adds the user of an account.
  public func addUser(
    _ account: Account, name: UserRecordName, on device: Device
  ) throws(StoreError) -> StoredUser {
    database.catalogCopy.add()
    return try users.add(account, name, on: device)
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
