internal import Basics
public import CloudModel
internal import RecordStore
internal import StoreHome

// What users do with the shares of others (R10.3).
extension CloudEnvironment {
  /// Returns a share's metadata by its URL. Throws `unknownItem` for an unknown share, and for a
  /// non-participant if requests are not allowed (R10.2.9); `participantMayNeedVerification` if the
  /// user may be an invited participant whose address has no account (R10.3.3).
  public func metadata(of url: ShareURL) throws(CloudError) -> ShareMetadata {
    let database = try database(.shared)
    try database.requireActor()
    try database.strike(.fetch, [.share], in: .defaultZone)
    return try read {
      guard let stored = try store.share(token: url.token) else {
        throw CloudError.shareNotFound(.url(url))
      }
      let directory = try ShareDirectory(self)
      let (place, rows) = (try store.place(of: stored), try store.participants(of: stored))
      guard let record = try store.record(stored.name, in: place.zone)?.record else {
        throw CloudError.shareNotFound(.url(url))
      }
      var share = directory.share(stored, record, place, rows, by: url.token)
      try directory.requireKnown(share, rows, url)
      share.withhold()
      var metadata = ShareMetadata(
        container: container, share: share, owner: directory.owner(of: place),
        participant: share.current)
      if let root = stored.root, share.showsRecords {
        metadata.rootRecord = try store.record(root, in: place.zone)?.record
      }
      return metadata
    }
  }

  /// Accepts a share: its records appear in the user's shared database (R10.3.4). Throws
  /// `permissionFailure` if the user is not invited (R10.3.2), `unknownItem` for a URL without a
  /// share.
  public func accept(_ url: ShareURL) throws(CloudError) -> ShareResult {
    let database = try database(.shared)
    let account = try database.requireActor()
    try database.strike(.accept, [.share], in: .defaultZone)
    return try database.write { transaction in
      guard let stored = try store.share(token: url.token) else {
        throw CloudError.shareNotFound(.url(url))
      }
      let directory = try ShareDirectory(self)
      let place = try store.place(of: stored)
      guard place.account != account else {
        throw CloudError(.invalidArguments, "The owner of a share already takes part in it")
      }
      try requireUnrestricted(place.account)
      var editing = ShareEditing(
        FoundShare(
          stored: stored, database: database, zone: place.zone, place: place,
          rows: try store.participants(of: stored)), directory)
      try editing.join(account, url)
      return ShareResult(share: try directory.share(editing.found), notices: transaction.notices)
    }
  }

  /// Requests access to a share. Throws `unknownItem` if requests are not allowed (R10.2.9),
  /// `participantAlreadyInvited` if the user is invited, `permissionFailure` if the user is
  /// blocked.
  public func requestAccess(to url: ShareURL) throws(CloudError) -> [Notice] {
    let database = try database(.shared)
    let account = try database.requireActor()
    try database.strike(.share, [.share], in: .defaultZone)
    return try database.write { transaction in
      guard let stored = try store.share(token: url.token) else {
        throw CloudError.shareNotFound(.url(url))
      }
      let directory = try ShareDirectory(self)
      let place = try store.place(of: stored)
      let rows = try store.participants(of: stored)
      let isInvited = directory.row(of: account, in: rows)?.takesPart ?? false
      var editing = ShareEditing(
        FoundShare(
          stored: stored, database: database, zone: place.zone, place: place, rows: rows),
        directory)
      try editing.requireOther(.account(account))
      guard stored.allowsRequests || isInvited else { throw CloudError.shareNotFound(.url(url)) }
      try editing.request(by: account)
      return transaction.notices
    }
  }
}

extension CloudDatabase {
  /// Answers a request for access. Throws as `edit`, `unknownItem` if the named user has not
  /// requested access.
  public func answer(
    _ answer: AccessAnswer, to invitee: Invitee, of reference: ShareReference, in zone: ZoneID?
  ) throws(CloudError) -> ShareResult {
    try changingShare(reference, in: zone) { try $0.answer(answer, to: invitee) }
  }

  /// Leaves a share: deletes its record in the shared database (R10.3.10). Throws `unknownItem` if
  /// the user is not a participant, `invalidArguments` for the user's own share.
  public func leaveShare(
    _ reference: ShareReference, in zone: ZoneID?
  ) throws(CloudError) -> (name: RecordName, notices: [Notice]) {
    let database = try environment.database(.shared)
    try database.requireActor()
    try strike(.share, [.share], in: zone ?? .defaultZone)
    return try database.write { transaction in
      let found = try find(reference, in: zone)
      guard !found.isOwn else {
        throw CloudError(
          .invalidArguments, "The owner of a share cannot leave it",
          recordName: found.stored.name.text, remedy: .stopShare)
      }
      try database.leave(found)
      return (found.stored.name, transaction.notices)
    }
  }

  /// Leaves the share of a record, within a write transaction.
  func leave(_ record: StoredRecord, in zone: StoredZone) throws {
    guard let share = try store.share(numbered: record.number) else {
      throw CloudError.recordNotFound(record.record.name)
    }
    try leave(found(share, in: zone))
  }

  /// Leaves all shares of a zone, within a write transaction (R10.3.14).
  func leaveShares(of zone: StoredZone) throws {
    guard let user else { return }
    for membership in try store.memberships(of: user) where membership.isIn(zone) {
      guard let share = try store.share(numbered: membership.share) else { continue }
      try leave(found(share, in: zone))
    }
  }

  /// Returns a share of a zone with its place and participants.
  func found(_ share: StoredShare, in zone: StoredZone) throws -> FoundShare {
    FoundShare(
      stored: share, database: self, zone: zone, place: try store.place(of: share),
      rows: try store.participants(of: share))
  }

  private func leave(_ found: FoundShare) throws {
    let directory = try ShareDirectory(environment)
    guard let account, let row = directory.row(of: account, in: found.rows) else { return }
    var editing = ShareEditing(found, directory)
    try editing.end(row)
    try editing.touch()
  }
}

extension ShareEditing {
  /// Makes an account an accepted participant. Throws `permissionFailure` if it is not invited
  /// (R10.3.2).
  fileprivate mutating func join(_ account: Account, _ url: ShareURL) throws {
    let user = found.database.environment.userRecordName(account)
    guard var row = rowToJoin(account, url) else {
      throw CloudError.notPermitted("READ", found.stored.name)
    }
    if row.status == .accepted { return }
    (row.user, row.account, row.status) = (user.text, account.name, .accepted)
    try set(row)
    try merge(account, into: row)
    try requireRoom()
    try touch()
    try found.database.store.show(found.stored, to: user)
  }
}

extension Share {
  /// Whether the caller may see the shared records.
  fileprivate var showsRecords: Bool {
    switch current?.status {
    case .pending, .accepted: true
    case .removed, .requested, .blocked, nil: publicPermission != .none
    }
  }

  /// Hides the record of a private share from non-participants: all of it from users who were
  /// removed or left (R10.3.13), all but title, type and thumbnail from others, who may request
  /// access.
  fileprivate mutating func withhold() {
    switch current?.status {
    case .pending, .accepted: return
    case .removed, .requested, .blocked, nil: break
    }
    guard publicPermission == .none else { return }
    let shown: [FieldName] =
      current?.status == .removed ? [] : [.shareTitle, .shareType, .shareThumbnail]
    let fields = record.fields
    record = Record(name: record.name, type: record.type, zone: record.zone)
    for name in shown { record.fields[name] = fields[name] }
    if shown.isEmpty { url = ShareURL(url.container, token: url.token, title: nil) }
  }
}

extension ShareDirectory {
  /// Throws `unknownItem` if the user may not know of a share, `participantMayNeedVerification` if
  /// the user may be an invited participant.
  fileprivate func requireKnown(
    _ share: Share, _ rows: [StoredParticipant], _ url: ShareURL
  ) throws(CloudError) {
    switch share.current?.status {
    case .pending, .accepted, .removed, .requested: return
    case .blocked, nil: break
    }
    if share.publicPermission != .none { return }
    if share.current == nil, rows.contains(where: { isUnmatched($0) }) {
      throw CloudError(
        .participantMayNeedVerification,
        "The share has invitations that are not matched to an iCloud account",
        remedy: .addAddress)
    }
    if !share.allowsRequests || share.current?.status == .blocked {
      throw .shareNotFound(.url(url))
    }
  }

  /// Whether a participant is invited by an address without an account. A participant invited as an
  /// account is matched, even before its first write.
  private func isUnmatched(_ row: StoredParticipant) -> Bool {
    row.status == .pending && row.address != nil && account(of: row) == nil
  }
}
