public import CloudModel
internal import SQLite
public import StoreFiles

/// The container of an account on a device.
public struct Replica: StoredRow, Sendable {
  package static let table = DocumentTables.replica

  /// The row.
  public internal(set) var number: Int64 = 0
  /// The account.
  public let account: Account
  /// The device.
  public let device: Device
  /// The number of iCloud's last change that arrived; its complement once another account has
  /// signed in.
  public var seen: Int64 = 0

  /// Whether another account has signed in on the device: everything in iCloud is new to it then.
  public var isLeft: Bool { seen < 0 }

  /// The number of iCloud's last change that the device has seen, including those that it did not
  /// take.
  public var known: Int64 { isLeft ? ~seen : seen }

  /// Notes that another account has signed in.
  public mutating func leave() { if !isLeft { seen = ~seen } }

  init(_ account: Account, _ device: Device) { (self.account, self.device) = (account, device) }

  package init(_ row: Row) {
    number = row.number
    (account, device, seen) = (row["account"], row["name"], row["seen"])
  }

  package var values: KeyValuePairs<String, any StoredValue> {
    ["account": account, "name": device, "seen": seen]
  }
}

extension UbiquityStore {
  /// The container of an account on a device; nil if there is none.
  public func replica(of account: Account, on device: Device) throws(StoreError) -> Replica? {
    try row("WHERE account = ? AND name = ?", [account, device])
  }

  /// The containers of an account, in byte order of the devices.
  public func replicas(of account: Account) throws(StoreError) -> [Replica] {
    try rows("WHERE account = ? ORDER BY name", [account])
  }

  /// The containers on a device.
  public func replicas(on device: Device) throws(StoreError) -> [Replica] {
    try rows("WHERE name = ? ORDER BY account", [device])
  }

  /// Adds an empty one.
  public func makeReplica(of account: Account, on device: Device) throws(StoreError) -> Replica {
    var replica = Replica(account, device)
    replica.number = try insert(replica)
    database.catalogCopy.add()
    return replica
  }

  /// Stores a changed container.
  public func update(_ replica: Replica) throws(StoreError) { try change(replica) }

  /// Removes it with its contents.
  public func remove(_ replica: Replica) throws(StoreError) {
    for item in try items(of: replica) { try remove(item) }
    for table in [DocumentTables.exclusion, DocumentTables.notice] {
      try delete(from: table, "replica = ?", [replica.number])
    }
    for mount in try mounts(of: replica) { try remove(mount) }
    try delete(replica)
    database.catalogCopy.change()
  }

  /// Removes all documents of an account, in iCloud and on its devices. Returns whether there were
  /// any.
  public func removeDocuments(of account: Account) throws(StoreError) -> Bool {
    let replicas = try replicas(of: account)
    for replica in replicas { try remove(replica) }
    let documents = try documents(of: account, after: -1)
    for document in documents { try erase(document) }
    return !replicas.isEmpty || !documents.isEmpty
  }

  // MARK: Exclusions

  /// The paths that the backups of a device leave out, in byte order.
  public func exclusions(of replica: Replica) throws(StoreError) -> [DocumentPath] {
    let found: [Exclusion] = try rows("WHERE replica = ? ORDER BY path", [replica.number])
    return found.map(\.path)
  }

  /// Excludes a path from the backups of a device, or includes it again.
  public func exclude(
    _ path: DocumentPath, isExcluded: Bool, of replica: Replica
  ) throws(StoreError) {
    try delete(
      from: DocumentTables.exclusion, "replica = ? AND name = ?", [replica.number, path.key])
    if isExcluded { try insert(Exclusion(replica: replica.number, path: path)) }
  }

  // MARK: Events

  /// Adds an event of a device.
  public func note(
    _ kind: DocumentEvent.Kind, _ path: DocumentPath, _ detail: String? = nil, on replica: Replica,
    at time: Timestamp
  ) throws(StoreError) {
    try database.insert(
      Notice(
        number: nextSequence(), replica: replica.number, kind: kind, path: path, detail: detail,
        at: time))
  }

  /// The events of a device after a number, oldest first.
  public func documentEvents(
    of replica: Replica, after number: Int64
  ) throws(StoreError) -> [DocumentEvent] {
    let found: [Notice] = try rows(
      "WHERE replica = ? AND _id > ? ORDER BY _id", [replica.number, number])
    return found.map { $0.event(on: replica.device) }
  }
}

private struct Exclusion: StoredRow {
  static let table = DocumentTables.exclusion

  let replica: Int64
  let path: DocumentPath

  init(replica: Int64, path: DocumentPath) { (self.replica, self.path) = (replica, path) }

  init(_ row: Row) { (replica, path) = (row["replica"], row["path"]) }

  var values: KeyValuePairs<String, any StoredValue> {
    ["replica": replica, "path": path, "name": path.key]
  }
}

private struct Notice: StoredRow {
  static let table = DocumentTables.notice

  let number: Int64
  let replica: Int64
  let kind: DocumentEvent.Kind
  let path: DocumentPath
  let detail: String?
  let at: Timestamp

  func event(on device: Device) -> DocumentEvent {
    DocumentEvent(
      number: number, kind: kind, path: path, detail: detail, device: device, at: at)
  }
}

extension Notice {
  init(_ row: Row) {
    self.init(
      number: row.number, replica: row["replica"],
      kind: DocumentEvent.Kind(rawValue: row["kind"]) ?? .didChange, path: row["path"],
      detail: row["detail"], at: row["at"])
  }

  var values: KeyValuePairs<String, any StoredValue> {
    [
      "replica": replica, "kind": kind.rawValue, "path": path, "detail": detail, "at": at,
    ]
  }
}
