internal import CloudModel
internal import Foundation

/// What an engine must know after a restart.
struct SyncState: Sendable, Equatable {
  /// The records that wait to be sent.
  var records = PendingList<CKSyncEngine.PendingRecordZoneChange>()
  /// The zones that wait to be sent.
  var zones = PendingList<CKSyncEngine.PendingDatabaseChange>()
  /// Whether the app has changes that it did not add here.
  var hasPendingUntrackedChanges = false
  /// The user whose database it is; nil before the first start with an account.
  var user: String?
  /// The place in the feed of the database; nil for its beginning.
  var databaseToken: CKServerChangeToken?
  /// The places in the feeds of zones.
  var zoneTokens: [CKRecordZone.ID: CKServerChangeToken] = [:]
  /// The zones that changed, and whose records were not fetched since; each once.
  private(set) var unfetched: [CKRecordZone.ID] = []
  /// What the engine changed in zones and did not pass in their feeds yet.
  private var ownChanges: [CKRecordZone.ID: OwnChanges] = [:]
  /// The zones that the engine deleted and did not pass in the feed yet.
  private var deletedZones: Set<CKRecordZone.ID> = []
  /// The records whose last save may have been made although it failed.
  var doubtful: Set<CKRecord.ID> = []

  init() {}

  // MARK: Zones with changes

  mutating func addUnfetched(_ zoneID: CKRecordZone.ID) {
    if !unfetched.contains(zoneID) { unfetched.append(zoneID) }
  }

  mutating func removeUnfetched(_ zoneID: CKRecordZone.ID) { unfetched.removeAll { $0 == zoneID } }

  /// Forgets where the feeds were left: they begin anew.
  mutating func forgetPlaces() {
    databaseToken = nil
    zoneTokens = [:]
  }

  // MARK: The engine's own changes

  // What an engine sent does not come back in its next fetch.

  /// What an engine changed in a zone.
  private struct OwnChanges: Sendable, Equatable {
    /// The versions that it saved.
    var tags: [CKRecord.ID: String] = [:]
    /// The records that it deleted.
    var deletions: Set<CKRecord.ID> = []
  }

  mutating func noteSaved(_ record: CKRecord) {
    let id = record.recordID
    ownChanges[id.zoneID, default: OwnChanges()].tags[id] = record.recordChangeTag
    ownChanges[id.zoneID]?.deletions.remove(id)
    doubtful.remove(id)
  }

  mutating func noteDeleted(_ id: CKRecord.ID) {
    ownChanges[id.zoneID, default: OwnChanges()].deletions.insert(id)
    ownChanges[id.zoneID]?.tags[id] = nil
    doubtful.remove(id)
  }

  mutating func noteSaved(_ zoneID: CKRecordZone.ID) { deletedZones.remove(zoneID) }

  mutating func noteDeleted(_ zoneID: CKRecordZone.ID) {
    deletedZones.insert(zoneID)
    forgetZone(zoneID)
  }

  /// Whether the engine saved this version of a record.
  func isOwn(_ record: CKRecord) -> Bool {
    guard let tag = ownChanges[record.recordID.zoneID]?.tags[record.recordID] else { return false }
    return tag == record.recordChangeTag
  }

  func isOwnDeletion(_ id: CKRecord.ID) -> Bool {
    ownChanges[id.zoneID]?.deletions.contains(id) ?? false
  }

  /// Whether the engine itself deleted a zone; says so once.
  mutating func takeOwnDeletion(_ zoneID: CKRecordZone.ID) -> Bool {
    deletedZones.remove(zoneID) != nil
  }

  /// Whether the engine changed records of a zone since it passed them in the feed.
  func hasOwnChanges(in zoneID: CKRecordZone.ID) -> Bool { ownChanges[zoneID] != nil }

  /// Forgets the own changes in a zone, whose feed was passed to its end.
  mutating func passEnd(of zoneID: CKRecordZone.ID) { ownChanges[zoneID] = nil }

  /// Forgets what it knows of a zone that is gone.
  mutating func forgetZone(_ zoneID: CKRecordZone.ID) {
    zoneTokens[zoneID] = nil
    removeUnfetched(zoneID)
    passEnd(of: zoneID)
  }
}

// MARK: Archives

extension SyncState: Codable {
  private enum Key: String, CodingKey {
    case version, records, zones, hasPendingUntrackedChanges, user, databaseToken, zoneTokens
    case unfetched, savedTags, deletedRecords, deletedZones, doubtful
  }

  /// A pending change: what, and whether it is deleted.
  private struct Change<Item: Codable>: Codable {
    var item: Item
    var isDeleted: Bool?
  }

  private struct Tagged<Item: Codable>: Codable {
    var item: Item
    var value: String
  }

  private struct Zone: Codable {
    var name: String
    var owner: String?
    var encryption: Int?

    init(_ id: CKRecordZone.ID) {
      name = id.zoneName
      owner = id.ownerName == CKCurrentUserDefaultName ? nil : id.ownerName
    }

    func id() throws -> CKRecordZone.ID {
      if name.isEmpty || owner?.isEmpty == true { throw SyncState.unreadable }
      return CKRecordZone.ID(zoneName: name, ownerName: owner ?? CKCurrentUserDefaultName)
    }
  }

  private struct Record: Codable {
    var name: String
    var zone: Zone

    init(_ id: CKRecord.ID) { (name, zone) = (id.recordName, Zone(id.zoneID)) }

    func id() throws -> CKRecord.ID {
      if name.isEmpty || name.utf8.count > Limits.nameLength { throw SyncState.unreadable }
      return CKRecord.ID(recordName: name, zoneID: try zone.id())
    }
  }

  private static var unreadable: DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "not the state of a sync engine"))
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(1, forKey: .version)
    try values.encode(
      records.changes.map { change -> Change<Record> in
        if case .deleteRecord = change {
          return Change(item: Record(change.recordID), isDeleted: true)
        }
        return Change(item: Record(change.recordID))
      }, forKey: .records)
    try values.encode(
      zones.changes.map { change -> Change<Zone> in
        switch change {
        case .deleteZone(let id): return Change(item: Zone(id), isDeleted: true)
        case .saveZone(let zone):
          var item = Zone(zone.zoneID)
          if zone.encryptionScope != .perRecord { item.encryption = zone.encryptionScope.rawValue }
          return Change(item: item)
        }
      }, forKey: .zones)
    try values.encode(hasPendingUntrackedChanges, forKey: .hasPendingUntrackedChanges)
    try values.encodeIfPresent(user, forKey: .user)
    try values.encodeIfPresent(databaseToken?.text, forKey: .databaseToken)
    try values.encode(
      zoneTokens.map { Tagged(item: Zone($0), value: $1.text) }, forKey: .zoneTokens)
    try values.encode(unfetched.map(Zone.init), forKey: .unfetched)
    let tags = ownChanges.values.flatMap(\.tags)
    try values.encode(tags.map { Tagged(item: Record($0), value: $1) }, forKey: .savedTags)
    let deletions = ownChanges.values.flatMap(\.deletions)
    try values.encode(deletions.map(Record.init), forKey: .deletedRecords)
    try values.encode(deletedZones.map(Zone.init), forKey: .deletedZones)
    try values.encode(doubtful.map(Record.init), forKey: .doubtful)
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    for change in try values.decode([Change<Record>].self, forKey: .records) {
      let id = try change.item.id()
      records.add(change.isDeleted == true ? .deleteRecord(id) : .saveRecord(id))
    }
    for change in try values.decode([Change<Zone>].self, forKey: .zones) {
      let id = try change.item.id()
      if change.isDeleted == true {
        zones.add(.deleteZone(id))
        continue
      }
      let zone = CKRecordZone(zoneID: id)
      let scope = change.item.encryption.flatMap(CKRecordZone.EncryptionScope.init)
      zone.encryptionScope = scope ?? .perRecord
      zones.add(.saveZone(zone))
    }
    hasPendingUntrackedChanges = try values.decode(Bool.self, forKey: .hasPendingUntrackedChanges)
    user = try values.decodeIfPresent(String.self, forKey: .user)
    databaseToken = try values.decodeIfPresent(String.self, forKey: .databaseToken)
      .map { CKServerChangeToken(text: $0) }
    for token in try values.decode([Tagged<Zone>].self, forKey: .zoneTokens) {
      zoneTokens[try token.item.id()] = CKServerChangeToken(text: token.value)
    }
    unfetched = try values.decode([Zone].self, forKey: .unfetched).map { try $0.id() }
    for tag in try values.decode([Tagged<Record>].self, forKey: .savedTags) {
      let id = try tag.item.id()
      ownChanges[id.zoneID, default: OwnChanges()].tags[id] = tag.value
    }
    for record in try values.decode([Record].self, forKey: .deletedRecords) {
      let id = try record.id()
      ownChanges[id.zoneID, default: OwnChanges()].deletions.insert(id)
    }
    deletedZones = Set(try values.decode([Zone].self, forKey: .deletedZones).map { try $0.id() })
    doubtful = Set(try values.decode([Record].self, forKey: .doubtful).map { try $0.id() })
  }
}
