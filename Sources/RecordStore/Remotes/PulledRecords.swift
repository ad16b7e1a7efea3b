internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// When and by which author a record was created or changed.
public struct StoredStamp: Sendable {
  let at: Timestamp
  /// The number of the author's row.
  let author: Int64

  var numbers: (at: Int64, by: Int64) { (at.milliseconds, author) }
}

extension EnvironmentStore {
  /// The stamp of a user of this store.
  func stamp(_ at: Timestamp, by user: StoredUser) -> StoredStamp {
    StoredStamp(at: at, author: user.author)
  }
}

/// The authors of records that come with their users, by user record name.
public final class ForeignAuthors {
  private let store: EnvironmentStore
  private var rows: [UserRecordName: Int64]?

  /// Creates the authors of a store. They are read when the first is needed.
  public init(of store: EnvironmentStore) { self.store = store }

  /// Forgets what a transaction that was rolled back has added.
  public func forget() { rows = nil }

  /// The stamp of a user. A user without an account here is added as one whose account was deleted.
  public func stamp(_ at: Timestamp, by name: UserRecordName) throws(StoreError) -> StoredStamp {
    StoredStamp(at: at, author: try author(name))
  }

  private func author(_ name: UserRecordName) throws(StoreError) -> Int64 {
    let known: [UserRecordName: Int64]
    if let rows { known = rows } else { known = try store.authorsByName() }
    if rows == nil { rows = known }
    if let author = known[name] { return author }
    let author = try store.addForeignAuthor(name)
    rows?[name] = author
    return author
  }
}

extension EnvironmentStore {
  /// The user, for reading, who was added with pulled records and has no account; nil for none.
  public func foreignUser(_ name: UserRecordName) throws(StoreError) -> StoredUser? {
    let number: Int64? = try database.value(
      "SELECT _id FROM _user WHERE account = ?", [Self.deletedMark + name.text])
    return number.map { StoredUser(number: $0, author: 0, name: name, device: .cli) }
  }

  /// The user without an account who owns copies of zones, added if needed; nil if an account here
  /// has this user record name.
  public func foreignOwner(_ name: UserRecordName) throws(StoreError) -> StoredUser? {
    let hasAccount = try database.hasRow(
      "SELECT 1 FROM _user WHERE name = ? AND account NOT LIKE '\(Self.deletedMark)%'", [name])
    if hasAccount { return nil }
    if let known = try foreignUser(name) { return known }
    let number = try addForeignUser(name)
    return StoredUser(number: number, author: 0, name: name, device: .cli)
  }

  /// Deletes the copied zones of a user who now gets an account: otherwise two zones could have the
  /// same ID. Throws `StoreError`, and the errors of the journal's `select`.
  public func deleteCopies(ownedBy name: UserRecordName) throws {
    guard let owner = try foreignUser(name) else { return }
    for zone in try zones(.private, of: owner) { try deleteZone(zone, .private, of: owner) }
  }

  fileprivate func authorsByName() throws(StoreError) -> [UserRecordName: Int64] {
    let all = try database.all(
      "SELECT u.name, a._id FROM _author a JOIN _user u ON u._id = a.user ORDER BY a._id"
    ) { row -> (UserRecordName, Int64) in
      var cells = Cells(row)
      return (cells.next(), cells.next())
    }
    return Dictionary(all) { _, first in first }
  }

  fileprivate func addForeignAuthor(_ name: UserRecordName) throws(StoreError) -> Int64 {
    let known: Int64? = try database.value("SELECT _id FROM _user WHERE name = ?", [name])
    let user: Int64
    if let known { user = known } else { user = try addForeignUser(name) }
    database.catalogCopy.add()
    return try database.insert(
      EnvironmentTables.author, ["user": user, "device": Device.cli])
  }

  private func addForeignUser(_ name: UserRecordName) throws(StoreError) -> Int64 {
    database.catalogCopy.add()
    return try database.insert(
      EnvironmentTables.user, ["account": Self.deletedMark + name.text, "name": name])
  }
}
