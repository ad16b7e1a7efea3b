internal import Basics
internal import CloudModel
internal import CloudServices
internal import Foundation

/// Makes `CKRecord`s of the records of one request.
struct RecordReader {
  let client: Client
  let environment: CloudEnvironment
  /// The database of the records; nil if none of them is a share.
  private let database: CloudDatabase?
  /// The encrypted fields of the types met.
  private var encrypted: [RecordType: [FieldName]] = [:]
  private let user: UserRecordName?

  /// A reader of records of a database.
  init(_ client: Client, _ database: CloudDatabase) {
    self.init(client, database.environment, database)
  }

  /// A reader of records that are no shares.
  init(_ client: Client, _ environment: CloudEnvironment, _ database: CloudDatabase? = nil) {
    (self.client, self.environment, self.database) = (client, environment, database)
    user = client.account.map(environment.userRecordName)
  }

  /// Returns a record, with copies of its assets. Throws `assetNotAvailable` if one is missing.
  mutating func record(_ record: Record) throws(CloudError) -> CKRecord {
    try self.record(record, assets: assets(of: record))
  }

  /// Returns a record without its assets.
  mutating func recordWithoutAssets(_ record: Record) throws(CloudError) -> CKRecord {
    try self.record(record, assets: [:])
  }

  /// Returns a share.
  mutating func share(_ share: Share) throws(CloudError) -> CKShare {
    let zoneID = CKRecordZone.ID.stored(share.record.zone)
    let state = try state(of: share.record, in: zoneID, assets: assets(of: share.record))
    return CKShare(
      CKRecord.ID(share.record.name, in: zoneID), state, Sharing(share, in: zoneID, as: user))
  }

  /// Returns a user, and what found the user.
  func identity(
    _ identity: UserIdentity, found lookup: CKUserIdentity.LookupInfo? = nil
  ) -> CKUserIdentity { CKUserIdentity(identity, found: lookup, as: user) }

  private mutating func record(
    _ record: Record, assets objects: [String: FieldObject]
  ) throws(CloudError) -> CKRecord {
    if record.type == .share, let share = try database?.share(of: record) {
      return try self.share(share)
    }
    let zoneID = CKRecordZone.ID.stored(record.zone)
    let state = try state(of: record, in: zoneID, assets: objects)
    return CKRecord(record.type.text, CKRecord.ID(record.name, in: zoneID), state)
  }

  private mutating func state(
    of record: Record, in zoneID: CKRecordZone.ID, assets objects: [String: FieldObject]
  ) throws(CloudError) -> RecordState {
    var state = RecordState()
    let hidden = try encryptedFields(of: record.type)
    if hidden.isEmpty {
      state.fields = FieldStore(record.fields, objects: objects)
    } else {
      let (open, closed) = record.fields.split { hidden.contains($0) }
      state.fields = FieldStore(open, objects: objects)
      state.encrypted = FieldStore(closed)
    }
    state.note(record, in: zoneID, as: user)
    return state
  }

  /// Returns records by their identities; one whose assets cannot be read is an error.
  mutating func results(_ records: [Record]) -> [(CKRecord.ID, Result<CKRecord, any Error>)] {
    var results: [(CKRecord.ID, Result<CKRecord, any Error>)] = []
    results.reserveCapacity(records.count)
    for record in records { results.append(result(record)) }
    return results
  }

  /// Returns a record by its identity; an error if its assets cannot be read.
  mutating func result(_ record: Record) -> (CKRecord.ID, Result<CKRecord, any Error>) {
    do throws(CloudError) {
      let made = try self.record(record)
      return (made.recordID, .success(made))
    } catch {
      return (CKRecord.ID(record.name, in: .stored(record.zone)), .failure(CKError(error)))
    }
  }

  private mutating func encryptedFields(of type: RecordType) throws(CloudError) -> [FieldName] {
    if let known = encrypted[type] { return known }
    let fields = try environment.encryptedFields(of: type)
    encrypted[type] = fields
    return fields
  }

  private func assets(of record: Record) throws(CloudError) -> [String: FieldObject] {
    var objects: [String: FieldObject] = [:]
    for entry in record.fields.entries {
      let assets = entry.value.assets
      if assets.isEmpty { continue }
      var files: [CKAsset] = []
      for asset in assets {
        files.append(try client.cloud().assets.copy(asset, of: record, from: environment))
      }
      if case .list = entry.value {
        objects[entry.name.text] = FieldObject(known: NSArray(array: files))
      } else {
        objects[entry.name.text] = FieldObject(known: files[0])
      }
    }
    return objects
  }
}

extension CloudEnvironment {
  /// The encrypted fields of a type.
  fileprivate func encryptedFields(of type: RecordType) throws(CloudError) -> [FieldName] {
    try knownSchema(of: type)?.fields.filter(\.type.isEncrypted).map(\.name) ?? []
  }
}

extension RecordFields {
  /// The fields that a condition does not fulfil, and those that it does.
  fileprivate func split(_ isSecond: (FieldName) -> Bool) -> (RecordFields, RecordFields) {
    (
      RecordFields(sorted: entries.filter { !isSecond($0.name) }),
      RecordFields(sorted: entries.filter { isSecond($0.name) })
    )
  }
}

/// A record as it was when the app asked to save it: what the app changes afterwards waits for the
/// next save.
struct RecordSnapshot: Sendable {
  let record: CKRecord
  let state: RecordState
  /// What a share has besides its record; nil for other records.
  let sharing: Sharing?

  init(_ record: CKRecord) {
    (self.record, state) = (record, record.state.withLock { $0 })
    sharing = (record as? CKShare)?.sharing.withLock { $0.copy() }
  }
}

/// A record on its way to the service.
struct SentRecord {
  let request: SaveRequest
  let zone: ZoneID
  private let snapshot: RecordSnapshot
  private let assets: [(file: CKAsset, contents: Asset)]

  /// Reads what a save sends: the changes, with `allKeys` all values (R4.1). New contents of assets
  /// are staged. Throws `assetFileNotFound`, and `invalidArguments` for what no record can have.
  init(
    _ snapshot: RecordSnapshot, _ policy: CKModifyRecordsOperation.RecordSavePolicy,
    _ environment: CloudEnvironment
  ) throws(CloudError) {
    let (record, state) = (snapshot.record, snapshot.state)
    zone = try record.recordID.zoneID.zone()
    let isAll = policy == .allKeys
    let type = try RecordType(schemaName: record.recordType)
    let hidden = try environment.encryptedFields(of: type)
    var reader = AssignmentReader(environment: environment)
    for sent in state.fields.sent(all: isAll, in: record.recordID.zoneID) {
      // A plain value does not become encrypted by itself (R13.4): its type is refused.
      try reader.read(sent) { $0.type = hidden.contains($0.name) ? $0.value?.type : nil }
    }
    for sent in state.encrypted.sent(all: isAll, in: record.recordID.zoneID) {
      try reader.read(sent, isEncrypted: true) {
        $0.type = $0.value?.type
        $0.type?.isEncrypted = true
      }
    }
    var request = SaveRequest(
      name: try RecordName(record.recordID.recordName), type: type,
      assignments: reader.assignments,
      tag: policy == .ifServerRecordUnchanged
        ? state.changeTag.map { ChangeTag(given: $0) } : nil,
      policy: policy.savePolicy)
    if state.parentChanges > 0 || isAll {
      request.parent = try state.parent.map { (parent) throws(CloudError) in
        try RecordName(parent.recordID.recordName)
      }
      request.parentZone = try state.parent.map { (parent) throws(CloudError) in
        try parent.recordID.zoneID.zone()
      }
      request.removesParent = state.parent == nil && state.parentChanges > 0
    }
    request.share = try snapshot.sharing.map { (sharing) throws(CloudError) in
      try sharing.save()
    }
    (self.snapshot, self.request, assets) = (snapshot, request, reader.assets)
  }

  /// Notes in the record, and in its assets, that they are saved.
  func note(_ saved: Record, as user: UserRecordName?, _ database: CloudDatabase) {
    for asset in assets { asset.file.note(asset.contents) }
    let record = snapshot.record
    record.state.withLock { state in
      state.note(saved, savedAs: snapshot.state, in: record.recordID.zoneID, by: user)
    }
    // Participants get their status, and the share its URL. What cannot be read stays as it was.
    guard let share = record as? CKShare, let sent = snapshot.sharing,
      let stored = try? database.share(of: saved)
    else { return }
    let sharing = Sharing(stored, in: record.recordID.zoneID, as: user)
    share.sharing.withLock { $0.take(sharing, sentAs: sent) }
  }
}

/// Turns fields of an app's record into those of a request.
private struct AssignmentReader {
  let environment: CloudEnvironment
  private(set) var assignments: [FieldAssignment] = []
  /// The files whose contents are staged.
  private(set) var assets: [(file: CKAsset, contents: Asset)] = []

  init(environment: CloudEnvironment) { self.environment = environment }

  mutating func read(
    _ sent: FieldStore.Sent, isEncrypted: Bool = false, _ change: (inout FieldAssignment) -> Void
  ) throws(CloudError) {
    var staged: [StagedAsset] = []
    var value: FieldValue?
    if let object = sent.object {
      value = try object.fieldValue(isEncrypted: isEncrypted) { (file) throws(CloudError) in
        try contents(of: file, isChanged: sent.isChanged, &staged)
      }
    }
    // The fields that every share has have names of their own kind.
    let isOfShare = FieldName.ofShares.contains { $0.text == sent.key }
    let name = isOfShare ? FieldName(stored: sent.key) : try FieldName(sent.key)
    var assignment = FieldAssignment(name, value, staged: staged)
    change(&assignment)
    assignments.append(assignment)
  }

  private mutating func contents(
    of file: CKAsset, isChanged: Bool, _ staged: inout [StagedAsset]
  ) throws(CloudError) -> Asset {
    // The contents of a fetched asset are in the store, unless it is another one.
    if let known = file.stored, file.isFetched || !isChanged, try environment.has(known) {
      return known
    }
    guard let path = file.fileURL?.path else {
      throw CloudError(.assetFileNotFound, "the asset has no file")
    }
    let contents = try environment.stage(path)
    staged.append(contents)
    assets.append((file, contents.asset))
    return contents.asset
  }
}

extension FieldName {
  fileprivate static let ofShares: [FieldName] = [.shareTitle, .shareType, .shareThumbnail]
}

extension CKRecord {
  /// The record as it is here.
  func localRecord() throws(CloudError) -> Record {
    let state = state.withLock { $0 }
    var record = Record(
      name: try RecordName(recordID.recordName), type: try CloudModel.RecordType(recordType),
      zone: try recordID.zoneID.zone())
    for key in state.fields.keys {
      // Assets that are not saved yet have no contents to compare.
      record.fields[FieldName(stored: key)] = try? state.fields.object(
        key, in: recordID.zoneID)?.fieldValue { (file) throws(CloudError) in
          guard let known = file.stored else { throw CloudError(.assetFileNotFound, "") }
          return known
        }
    }
    record.created = state.created?.stamp
    record.modified = state.modified?.stamp
    record.changeTag = state.changeTag.map { ChangeTag(given: $0) }
    record.parent = state.parent.map { RecordName(stored: $0.recordID.recordName) }
    record.share = state.share.map { RecordName(stored: $0.recordID.recordName) }
    return record
  }

  /// A copy of the record without the changes that are not saved: as the app fetched it.
  func ancestor() -> CKRecord {
    CKRecord(recordType, recordID, state.withLock { $0.withoutChanges })
  }
}

extension RecordState.Stamp {
  fileprivate var stamp: Record.Stamp? {
    guard let date, let time = try? date.timestamp() else { return nil }
    return Record.Stamp(
      at: time, by: UserRecordName(stored: user?.recordName ?? ""),
      on: device.map { Device(stored: $0) } ?? .cli)
  }
}
