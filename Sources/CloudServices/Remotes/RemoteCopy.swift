internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreFiles

/// A database of this store as the copy of one on another server.
///
/// What both had in common (`RemoteBase`) says on which side a record was changed. Each page that
/// is taken over is a transaction with the token that continues after it, so that a pull that ends
/// early goes on from there.
public final class RemoteCopy {
  /// The database here. Its changes fire no subscriptions.
  let database: CloudDatabase
  /// The server's address, database and user.
  let identity: String
  /// The user of the requests to the server, who is the account of this database.
  let caller: UserRecordName?
  let authors: ForeignAuthors
  var store: EnvironmentStore { database.store }
  var environment: CloudEnvironment { database.environment }

  /// A database as the copy of another. `caller` is the user that the server knows. Throws as
  /// `requireAccount`.
  public init(
    _ database: CloudDatabase, of identity: String, caller: UserRecordName?
  ) throws(CloudError) {
    self.database = try database.silent().withoutNetwork()
    (self.identity, self.caller) = (identity, caller)
    authors = ForeignAuthors(of: database.store)
    try self.database.requireAccount()
  }

  /// Runs `work` in a transaction, or rolls it back for a rehearsal.
  func write<T>(
    isRehearsal: Bool = false, _ work: (RemoteTransaction) throws -> T
  ) throws(CloudError) -> T {
    let body: () throws -> T = { [self] in
      let transaction = try RemoteTransaction(self)
      return try work(transaction)
    }
    do {
      if isRehearsal { authors.forget() }
      defer { if isRehearsal { authors.forget() } }
      return try isRehearsal ? environment.rehearse(body) : environment.write(body)
    } catch {
      authors.forget()
      throw error
    }
  }

  /// Runs `work` on one consistent state; nil for a remote that was never pulled or pushed.
  func read<T>(_ work: (StoredRemote) throws -> T) throws(CloudError) -> T? {
    try environment.read { try remoteIfAny().map(work) }
  }

  func remoteIfAny() throws -> StoredRemote? {
    guard database.scope != .public else { return try store.remote(identity, .public, of: nil) }
    let user = try database.account.flatMap { try store.user($0, on: database.device) }
    return try user.flatMap { try store.remote(identity, database.scope, of: $0) }
  }

  // MARK: State

  /// Where a pull goes on.
  public struct Progress: Sendable {
    /// The token of the feed of zones; nil for the beginning.
    public var token: String?
    /// The zones, and the types of zones without a feed.
    public var zones: [ZoneProgress] = []
  }

  /// Where the pull of a zone, or of a type in a zone without a feed, goes on.
  public struct ZoneProgress: Sendable, Equatable {
    /// The zone.
    public let zone: ZoneID
    /// The type; nil for a zone with a feed.
    public let type: RecordType?
    /// The token; nil for the beginning.
    public var token: String?
    /// Whether the last pull did not come to its end.
    public var isPending: Bool

    init(_ zone: ZoneID, _ row: StoredRemoteZone) {
      (self.zone, token, isPending) = (zone, row.token, row.isPending)
      type = row.type.isEmpty ? nil : RecordType(stored: row.type)
    }
  }

  /// Begins a pull. After a restored snapshot or a reset it starts from the beginning, and what is
  /// missing here does not count as deleted.
  public func beginPull(isRehearsal: Bool = false) throws(CloudError) -> Progress {
    try write(isRehearsal: isRehearsal) { transaction in
      var remote = transaction.remote
      let incarnation = try store.currentIncarnation()
      if remote.incarnation != incarnation {
        remote.incarnation = incarnation
        (remote.token, remote.sent) = (nil, nil)
        try store.update(remote)
        for var zone in try store.zones(of: remote) {
          let stored = try storedZone(self.zone(of: zone))
          try store.removeBasesWithoutRecords(in: zone, stored)
          (zone.token, zone.isPending) = (nil, true)
          zone.round += 1
          try store.update(zone)
        }
      }
      if database.scope == .shared { try transaction.checkCopies() }
      var progress = Progress(token: remote.token)
      progress.zones = try store.zones(of: remote).map { ZoneProgress(zone(of: $0), $0) }
      return progress
    }
  }

  /// Notes which zones the server has changed and deleted, with the token of its feed after that;
  /// nil keeps the former one. Returns what the deletions did.
  public func note(
    changed: [ZoneID], deleted: [ZoneID], token: String?, isRehearsal: Bool = false
  ) throws(CloudError) -> PullResult {
    try write(isRehearsal: isRehearsal) { transaction in
      var result = PullResult()
      var remote = transaction.remote
      remote.token = token ?? remote.token
      try store.update(remote)
      for name in changed {
        var zone = try row(of: name, in: remote)
        zone.isPending = true
        try store.update(zone)
      }
      for name in deleted { try transaction.deleteZone(name, &result) }
      return result
    }
  }

  /// Begins the pull of the records of a type in a zone without a feed, unless one is under way.
  public func begin(
    _ type: RecordType, in zone: ZoneID, isRehearsal: Bool = false
  ) throws(CloudError) -> ZoneProgress {
    try write(isRehearsal: isRehearsal) { transaction in
      var row = try self.row(of: zone, type, in: transaction.remote)
      if !row.isPending || row.round == 0 {
        (row.isPending, row.token) = (true, nil)
        row.round += 1
        try store.update(row)
      }
      return ZoneProgress(zone, row)
    }
  }

  /// Starts the feed of a zone from its beginning: its token was refused. What it then does not
  /// have is deleted there.
  public func restart(_ zone: ZoneID, isRehearsal: Bool = false) throws(CloudError) {
    try write(isRehearsal: isRehearsal) { transaction in
      var row = try self.row(of: zone, in: transaction.remote)
      (row.token, row.isPending) = (nil, true)
      row.round += 1
      try store.update(row)
    }
  }

  /// The records whose version on the server was not taken over: for another try.
  public func untaken() throws(CloudError) -> [(zone: ZoneID, name: RecordName)] {
    try read { remote in
      var found: [(ZoneID, RecordName)] = []
      for zone in try store.zones(of: remote) where zone.type.isEmpty {
        found += try store.outrun(in: zone).map { (self.zone(of: zone), $0.name) }
      }
      return found
    } ?? []
  }

  // MARK: Assets

  /// The contents of the server's files that are here; missing ones must be downloaded.
  public func contents(
    of files: Set<RemoteFile>
  ) throws(CloudError) -> [RemoteFile: Asset] {
    try read { remote in
      var known: [RemoteFile: Asset] = [:]
      for file in files {
        if let asset = try store.asset(ofChecksum: file.checksum, of: remote),
          try store.assets.contains(asset)
        {
          known[file] = asset
        }
      }
      return known
    } ?? [:]
  }

  /// Where files are kept that were downloaded, until their records come into the store.
  public var downloads: String { store.downloads }
}
