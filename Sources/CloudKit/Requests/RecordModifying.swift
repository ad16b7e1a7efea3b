internal import CloudModel
internal import CloudServices
internal import Foundation

/// Saves and deletions of records as one operation.
struct RecordModifying: Sendable {
  /// The records, as they are when the operation starts.
  var records: [RecordSnapshot] = []
  var deletions: [CKRecord.ID] = []
  var policy = CKModifyRecordsOperation.RecordSavePolicy.ifServerRecordUnchanged
  var isAtomic = true
  var clientToken: Data?
  var scope: DatabaseScope

  init(in scope: DatabaseScope) { self.scope = scope }

  /// The outcome of each item, in the order of the operation.
  struct Results: Sendable {
    var saves: [(CKRecord.ID, Result<CKRecord, any Error>)] = []
    var deletions: [(CKRecord.ID, Result<Void, any Error>)] = []

    /// The failed items as one error; nil for none.
    var error: CKError? {
      let errors = Dictionary(failures: saves).merging(Dictionary(failures: deletions)) { $1 }
      return .partial("Failed to modify some records", errors)
    }
  }

  /// Changes all records. Throws `CloudError` for an error of the whole operation.
  func run(_ client: Client, _ request: Request) throws -> Results {
    let database = try client.database(scope, for: request)
    let environment = database.environment
    var sent: [SentRecord?] = []
    var items: [ModifyRequest.Item] = []
    defer { for record in sent { environment.discard(record?.request.assignments ?? []) } }
    for record in records {
      do throws(CloudError) {
        let ready = try SentRecord(record, policy, environment)
        sent.append(ready)
        items.append(ModifyRequest.Item(.save(ready.request), in: ready.zone))
      } catch {
        sent.append(nil)
        items.append(Self.refused(error, record.record.recordID))
      }
    }
    for id in deletions {
      do throws(CloudError) {
        let name = try RecordName(id.recordName)
        items.append(ModifyRequest.Item(.delete(name, tag: nil), in: try id.zoneID.zone()))
      } catch { items.append(Self.refused(error, id)) }
    }
    var change = ModifyRequest(items, isAtomic: isAtomic ? nil : false)
    change.clientToken = clientToken?.base64EncodedString()
    let outcomes = try database.modify(change).outcomes
    return results(of: outcomes, sent, client, database)
  }

  private static func refused(_ error: CloudError, _ id: CKRecord.ID) -> ModifyRequest.Item {
    var error = error
    error.recordName = error.recordName ?? id.recordName
    return ModifyRequest.Item(.refused(error), in: (try? id.zoneID.zone()) ?? .defaultZone)
  }

  /// Reports the outcomes. Nothing here may fail: the changes are made.
  private func results(
    of outcomes: [ModifyResult.Outcome], _ sent: [SentRecord?], _ client: Client,
    _ database: CloudDatabase
  ) -> Results {
    let user = client.account.map(database.environment.userRecordName)
    var results = Results()
    for (place, outcome) in outcomes.enumerated() {
      if place < records.count {
        let record = records[place].record
        switch outcome {
        case .saved(let saved):
          sent[place]?.note(saved.record, as: user, database)
          results.saves.append((record.recordID, .success(record)))
        case .failed(let error):
          let failure = Self.failure(error, of: record, client, database)
          results.saves.append((record.recordID, .failure(failure)))
        case .deleted: break
        }
      } else {
        let id = deletions[place - records.count]
        if case .failed(let error) = outcome {
          results.deletions.append((id, .failure(CKError(error))))
        } else {
          results.deletions.append((id, .success(())))
        }
      }
    }
    return results
  }

  /// The error of a record that was not saved, with the records of a conflict.
  static func failure(
    _ error: CloudError, of record: CKRecord, _ client: Client, _ database: CloudDatabase
  ) -> CKError {
    guard error.code == .serverRecordChanged else { return CKError(error) }
    var facts: [String: Any] = [
      CKRecordChangedErrorClientRecordKey: record.copy(),
      CKRecordChangedErrorAncestorRecordKey: record.ancestor(),
    ]
    if let server = error.conflict?.server {
      var reader = RecordReader(client, database)
      // Without its assets, if those cannot be read.
      facts[CKRecordChangedErrorServerRecordKey] =
        (try? reader.record(server)) ?? (try? reader.recordWithoutAssets(server))
    }
    return CKError(error, facts)
  }
}

extension CKModifyRecordsOperation.RecordSavePolicy {
  /// The policy of the service (R4.1).
  var savePolicy: SavePolicy {
    switch self {
    case .ifServerRecordUnchanged: .unchanged
    case .changedKeys: .changed
    case .allKeys: .all
    }
  }
}

/// One record to save, which fails with its own error (R4.4.10).
struct RecordSaving: Sendable {
  private let snapshot: RecordSnapshot
  private let scope: DatabaseScope

  init(record: CKRecord, scope: DatabaseScope) {
    (snapshot, self.scope) = (RecordSnapshot(record), scope)
  }

  func run(_ client: Client, _ request: Request) throws -> CKRecord {
    let database = try client.database(scope, for: request)
    let environment = database.environment
    let sent = try SentRecord(snapshot, .ifServerRecordUnchanged, environment)
    defer { environment.discard(sent.request.assignments) }
    do throws(CloudError) {
      let saved = try database.save(sent.request, in: sent.zone)
      sent.note(
        saved.record, as: client.account.map(environment.userRecordName), database)
      return snapshot.record
    } catch {
      throw RecordModifying.failure(error, of: snapshot.record, client, database)
    }
  }
}

/// One record to delete, which fails with its own error (R4.4.10).
struct RecordDeletion: Sendable {
  let id: CKRecord.ID
  let scope: DatabaseScope

  func run(_ client: Client, _ request: Request) throws -> CKRecord.ID {
    let database = try client.database(scope, for: request)
    _ = try database.delete(RecordName(id.recordName), in: id.zoneID.zone())
    return id
  }
}
