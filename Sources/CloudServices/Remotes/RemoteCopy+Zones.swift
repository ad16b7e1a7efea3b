internal import Basics
internal import CloudModel
internal import RecordStore
internal import StoreFiles

// The zones of a remote database and their copies. Those of a private or public database have the
// same names here. A zone of the shared database is another user's; its copy belongs to that user,
// who has no account here.
extension RemoteCopy {
  /// The zone that a row is about.
  func zone(of row: StoredRemoteZone) -> ZoneID {
    let zone = ZoneID(row.name)
    return database.scope == .shared ? database.sharedIdentity(zone) : zone
  }

  /// The name of a zone in its row: with the owner, if it is another user's.
  private func rowName(of zone: ZoneID) -> ZoneName { ZoneName(stored: zone.text) }

  /// The row of a zone, or of a type in it, which is added if there is none.
  func row(
    of zone: ZoneID, _ type: RecordType? = nil, in remote: StoredRemote
  ) throws -> StoredRemoteZone {
    try store.zone(rowName(of: zone), type?.text ?? "", of: remote)
  }

  /// The row of a zone, or of a type in it; nil for none.
  func knownRow(
    of zone: ZoneID, _ type: RecordType? = nil, in remote: StoredRemote
  ) throws -> StoredRemoteZone? {
    try store.knownZone(rowName(of: zone), type?.text ?? "", of: remote)
  }

  /// The zone here; nil if there is none.
  func storedZone(_ zone: ZoneID) throws -> StoredZone? {
    guard database.scope == .shared else { return try database.storedZone(zone) }
    guard case .user(let name) = zone.owner, let owner = try store.foreignUser(name) else {
      return nil
    }
    return try store.zone(zone, .private, of: owner)
  }
}

extension RemoteTransaction {
  /// The copy of a zone that another user shares, which is made if there is none. A share of the
  /// whole zone shows it to the account here, for reading only: what the account sees there is all
  /// that is copied.
  ///
  /// Throws `invalidArguments` if the owner has an account here, whose own zone it would be, and if
  /// it is the copy of what another account sees.
  func sharedZone(_ id: ZoneID) throws -> StoredZone {
    let zone = try copy.storedZone(id) ?? addSharedZone(id)
    guard let share = try store.share(.zoneWideShare, in: zone) else {
      throw CloudError.recordNotFound(.zoneWideShare)
    }
    try join(share, in: id)
    return zone
  }

  private func addSharedZone(_ id: ZoneID) throws -> StoredZone {
    guard case .user(let name) = id.owner else {
      throw CloudError(.invalidArguments, "the server names no owner of the zone", zone: id)
    }
    let stamp = try copy.authors.stamp(base.request.now, by: name)
    guard let owner = try store.foreignUser(name) else {
      throw CloudError.otherAccount(id, "the owner of the zone \(id.text) has an account here")
    }
    let zone = try store.addZone(id, .private, of: owner)
    let table = try store.table(.share) ?? store.addType(.share)
    _ = try store.insert(
      Record(name: .zoneWideShare, type: .share, zone: id), table, in: zone,
      created: stamp, modified: stamp)
    guard let record = try store.record(.zoneWideShare, in: zone) else {
      throw CloudError.recordNotFound(.zoneWideShare)
    }
    let token = SHA256.hash(Array("\(copy.identity)\0\(id.text)".utf8)).prefix(16)
    let share = StoredShare(
      number: record.number, in: zone, name: .zoneWideShare, root: nil,
      token: Array(token).hexadecimal, publicPermission: .none, allowsRequests: false)
    try store.set(share)
    try store.coverShare(share, type: table)
    return zone
  }

  /// Makes the account a participant of a copy's share, if it is not, or has left it here.
  private func join(_ share: StoredShare, in id: ZoneID) throws {
    let user = base.writer.name
    let rows = try store.participants(of: share)
    let own = rows.first { $0.user == user.text }
    if own?.status == .accepted { return }
    guard !rows.contains(where: { $0.status == .accepted }) else {
      throw CloudError.otherAccount(id, "the zone \(id.text) was copied for another account")
    }
    var row =
      own
      ?? StoredParticipant(
        id: copy.database.makeName(index: 0).text, user: user.text,
        account: copy.database.account?.name, address: nil, role: .privateUser,
        permission: .readOnly, status: .accepted, added: base.request.now)
    row.status = .accepted
    try store.set(row, of: share)
    try store.show(share, to: user)
  }

  /// Deletes the copy of a zone that the user does not see any more.
  func deleteSharedZone(
    _ id: ZoneID, _ row: StoredRemoteZone, _ result: inout PullResult
  ) throws {
    guard let stored = try copy.storedZone(id) else { return }
    result.deleted += try store.unmet(by: .max, of: nil, in: row).count
    result.deletedZones += 1
    try store.deleteZone(stored, .private, of: store.place(of: stored).owner)
  }
}

extension CloudError {
  fileprivate static func otherAccount(_ zone: ZoneID, _ text: String) -> CloudError {
    CloudError(
      .invalidArguments, text, zone: zone,
      remedy: .advice("pull it as that account, or into another store"))
  }
}
