internal import Basics
public import CloudModel
internal import Crypto
internal import SQLite

/// The users that have written into an environment, by row.
final class UserTable {
  private let connection: Connection
  // Few users write into one environment, and a dictionary costs more than it saves at start.
  private var names: [(row: Int64, name: UserRecordName)] = []
  private var rows: [String: Int64] = [:]

  init(_ connection: Connection) { self.connection = connection }

  func forget() {
    names.removeAll()
    rows.removeAll()
  }

  func name(_ row: Int64) throws(SQLiteError) -> UserRecordName {
    if let known = names.first(where: { $0.row == row }) { return known.name }
    let statement = try connection.statement("SELECT name FROM _user WHERE _id = ?")
    statement.bind(row, 1)
    let name = UserRecordName(stored: try statement.step() ? statement.text(0) : "")
    statement.reset()
    names.append((row, name))
    return name
  }

  func row(_ account: Account) throws(SQLiteError) -> Int64? {
    if let row = rows[account.name] { return row }
    let statement = try connection.statement("SELECT _id FROM _user WHERE account = ?")
    statement.bind(account.name, 1)
    guard try statement.step() else { return nil }
    let row = statement.int64(0)
    statement.reset()
    rows[account.name] = row
    return row
  }

  func add(_ account: Account, _ name: UserRecordName) throws(SQLiteError) -> Int64 {
    let statement = try connection.statement("INSERT INTO _user(account, name) VALUES (?, ?)")
    statement.bind(account.name, 1)
    statement.bind(name.text, 2)
    try statement.run()
    rows[account.name] = connection.lastInsertedRow
    return connection.lastInsertedRow
  }
}

/// A user of an environment, as the store knows him.
public struct StoredUser: Sendable {
  /// The number of his row.
  let number: Int64
  /// His record name in the container.
  public let name: UserRecordName
}

extension EnvironmentStore {
  /// The user of an account; nil when he has never written here. Throws `StoreError`.
  public func user(_ account: Account) throws(StoreError) -> StoredUser? {
    try sql { () throws(SQLiteError) in
      guard let row = try users.row(account) else { return nil }
      return StoredUser(number: row, name: try users.name(row))
    }
  }

  /// Adds the user of an account. Throws `StoreError`.
  public func addUser(
    _ account: Account, name: UserRecordName
  ) throws(StoreError) -> StoredUser {
    try sql { () throws(SQLiteError) in
      StoredUser(number: try users.add(account, name), name: name)
    }
  }
}

extension UserRecordName {
  /// The record name of an account in a container: `_` and the first 32 hexadecimal digits of
  /// SHA-256(container, NUL, account).
  public init(container: ContainerID, account: Account) {
    let digest = SHA256.hash(data: Array("\(container.text)\0\(account.name)".utf8))
    self.init(stored: "_" + Array(digest.prefix(16)).hexadecimal)
  }
}
