internal import Basics
internal import CloudModel
internal import CloudServices
internal import Foundation

/// Makes `CKRecord`s of the records of one request.
struct RecordReader {
  let client: Client
  let environment: CloudEnvironment
  /// The encrypted fields of the types met.
  private var encrypted: [RecordType: [FieldName]] = [:]
  private let user: UserRecordName?

  init(_ client: Client, _ environment: CloudEnvironment) {
    (self.client, self.environment) = (client, environment)
    user = client.account.map(environment.userRecordName)
  }

  /// Returns a record, with copies of its assets. Throws `assetNotAvailable` if one is missing.
  mutating func record(_ record: Record) throws(CloudError) -> CKRecord {
    let zoneID = CKRecordZone.ID.stored(record.zone)
    var state = RecordState()
    let objects = try assets(of: record)
    let hidden = try encryptedFields(of: record.type)
    if hidden.isEmpty {
      state.fields = FieldStore(record.fields, objects: objects)
    } else {
      let (open, closed) = record.fields.split { hidden.contains($0) }
      state.fields = FieldStore(open, objects: objects)
      state.encrypted = FieldStore(closed)
    }
    state.note(record, in: zoneID, as: user)
    return CKRecord(record.type.text, CKRecord.ID(record.name, in: zoneID), state)
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

/// A record on its way to the service.
struct SentRecord {
  let record: CKRecord
  let request: SaveRequest
  let zone: ZoneID
  private let marks: (fields: Int, encrypted: Int)

  /// Reads what a save sends: the changes, with `allKeys` all values (R4.1). New contents of assets
  /// are staged. Throws `assetFileNotFound`, and `invalidArguments` for what no record can have.
  init(
    _ record: CKRecord, _ policy: CKModifyRecordsOperation.RecordSavePolicy,
    _ environment: CloudEnvironment
  ) throws(CloudError) {
    let state = record.state.withLock { $0 }
    marks = (state.fields.mark, state.encrypted.mark)
    let name = try RecordName(record.recordID.recordName)
    zone = try record.recordID.zoneID.zone()
    var assignments: [FieldAssignment] = []
    let isAll = policy == .allKeys
    let type = try RecordType(schemaName: record.recordType)
    let hidden = try environment.encryptedFields(of: type)
    for sent in state.fields.sent(all: isAll, in: record.recordID.zoneID) {
      var assignment = try Self.assignment(sent, environment)
      // A plain value does not become encrypted by itself (R13.4): its type is refused.
      if hidden.contains(assignment.name) { assignment.type = assignment.value?.type }
      assignments.append(assignment)
    }
    for sent in state.encrypted.sent(all: isAll, in: record.recordID.zoneID) {
      var assignment = try Self.assignment(sent, environment)
      assignment.type = assignment.value?.type
      assignment.type?.isEncrypted = true
      assignments.append(assignment)
    }
    var request = SaveRequest(
      name: name, type: type, assignments: assignments,
      tag: policy == .ifServerRecordUnchanged
        ? state.changeTag.map { ChangeTag(given: $0) } : nil,
      policy: policy.savePolicy)
    if state.hasChangedParent || isAll {
      request.parent = try state.parent.map { (parent) throws(CloudError) in
        try RecordName(parent.recordID.recordName)
      }
      request.parentZone = try state.parent.map { (parent) throws(CloudError) in
        try parent.recordID.zoneID.zone()
      }
      request.removesParent = state.parent == nil && state.hasChangedParent
    }
    (self.record, self.request) = (record, request)
  }

  private static func assignment(
    _ sent: FieldStore.Sent, _ environment: CloudEnvironment
  ) throws(CloudError) -> FieldAssignment {
    var staged: [StagedAsset] = []
    let value = try sent.object.map { (object) throws(CloudError) in
      try object.fieldValue { (file) throws(CloudError) in
        if let known = file.stored { return known }
        guard let path = file.fileURL?.path else {
          throw CloudError(.assetFileNotFound, "the asset has no file")
        }
        let contents = try environment.stage(path)
        staged.append(contents)
        return contents.asset
      }
    }
    return FieldAssignment(try FieldName(sent.key), value, staged: staged)
  }

  /// Notes in the record that it is saved.
  func note(_ saved: Record, as user: UserRecordName?) {
    record.state.withLock { state in
      state.fields.commit(upTo: marks.fields)
      state.encrypted.commit(upTo: marks.encrypted)
      state.note(saved, in: record.recordID.zoneID, as: user)
    }
  }
}

extension CKRecord {
  /// The record as it is here.
  func localRecord() throws(CloudError) -> Record {
    let state = state.withLock { $0 }
    var record = Record(
      name: try RecordName(recordID.recordName), type: try CloudModel.RecordType(recordType),
      zone: try recordID.zoneID.zone())
    for key in state.fields.keys {
      record.fields[try FieldName(key)] = try state.fields.object(key, in: recordID.zoneID)?
        .fieldValue { (file) throws(CloudError) in
          guard let known = file.stored else { throw CloudError(.assetFileNotFound, "") }
          return known
        }
    }
    return record
  }

  /// A copy of the record without the changes that are not saved: as the app fetched it.
  func ancestor() -> CKRecord {
    var state = state.withLock { $0 }
    state.fields = state.fields.withoutChanges
    state.encrypted = state.encrypted.withoutChanges
    return CKRecord(recordType, recordID, state)
  }
}
