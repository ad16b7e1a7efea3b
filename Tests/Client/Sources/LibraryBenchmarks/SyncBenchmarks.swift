import CloudKitTesting
import Foundation

/// How soon automatic sync engines notice changes, and in which batches they send.
struct SyncBenchmarks {
  private let cloud: LocalCloud
  private let program: String
  private let container = "iCloud.org.example.bench"
  private let zoneID = CKRecordZone.ID(zoneName: "Notes")

  init(program: String) throws {
    self.program = program
    cloud = try LocalCloud()
  }

  /// The times from the start of a command that saves a record to the delegate of an engine in this
  /// process, in order and in milliseconds.
  func delays(count: Int) async throws -> [Double] {
    let reader = try await ready(device: "pad")
    var delays: [Double] = []
    for number in 0..<count {
      let name = "n\(number)"
      let process = Process()
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments = [
        "--store", cloud.directory.path, "--container", container, "-q", "-z", "Notes", "record",
        "save", "Note", "--name", name, "number:=\(number)",
      ]
      let start = ContinuousClock.now
      try process.run()
      let arrival = await reader.arrival(of: name)
      delays.append((arrival - start) / .milliseconds(1))
      process.waitUntilExit()
      precondition(process.terminationStatus == 0, "the record was not saved")
    }
    return delays.sorted()
  }

  /// Sends changes that an app adds one by one, and returns their batches and the time until
  /// another device has all of them, in milliseconds.
  func burst(count: Int) async throws -> (batches: [Int], milliseconds: Double) {
    let (writer, reader) = (try await ready(device: "phone"), try await ready(device: "pad"))
    let start = ContinuousClock.now
    for number in 0..<count {
      writer.engine.state.add(pendingRecordZoneChanges: [
        .saveRecord(CKRecord.ID(recordName: "b\(number)", zoneID: zoneID))
      ])
    }
    for number in 0..<count { _ = await reader.arrival(of: "b\(number)") }
    return (writer.batches, (ContinuousClock.now - start) / .milliseconds(1))
  }

  private func ready(device: String) async throws -> SyncClient {
    let database = cloud.container(container, device: device).privateCloudDatabase
    try await database.save(CKRecordZone(zoneID: zoneID))
    let client = SyncClient(database)
    try await client.engine.fetchChanges()
    return client
  }
}

/// An app with an automatic engine, which notes when records arrive.
private final class SyncClient: CKSyncEngineDelegate, @unchecked Sendable {
  private let lock = NSLock()
  private var arrivals: [String: ContinuousClock.Instant] = [:]
  private var waiting: [String: CheckedContinuation<ContinuousClock.Instant, Never>] = [:]
  private var sizes: [Int] = []
  private let database: CKDatabase
  private(set) lazy var engine = CKSyncEngine(
    .init(database: database, stateSerialization: nil, delegate: self))

  init(_ database: CKDatabase) { self.database = database }

  var batches: [Int] { lock.withLock { sizes } }

  func arrival(of name: String) async -> ContinuousClock.Instant {
    await withCheckedContinuation { continuation in
      let known = lock.withLock {
        if arrivals[name] == nil { waiting[name] = continuation }
        return arrivals[name]
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    let now = ContinuousClock.now
    switch event {
    case .fetchedRecordZoneChanges(let changes):
      for record in changes.modifications.map(\.record) {
        let name = record.recordID.recordName
        let continuation = lock.withLock {
          arrivals[name] = now
          return waiting.removeValue(forKey: name)
        }
        continuation?.resume(returning: now)
      }
    case .sentRecordZoneChanges(let sent): lock.withLock { sizes.append(sent.savedRecords.count) }
    default: break
    }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    await CKSyncEngine.RecordZoneChangeBatch(
      pendingChanges: syncEngine.state.pendingRecordZoneChanges
    ) { CKRecord(recordType: "Note", recordID: $0) }
  }
}
