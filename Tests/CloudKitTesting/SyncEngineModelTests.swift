import Basics
import CloudKitTesting
import TestSupport
import Testing

/// A note as a device has it. The edit with the greater number is the later one.
private struct Note: Sendable, Equatable {
  var edit: Int
  /// Whether iCloud does not have the edit yet.
  var isDirty: Bool
  var record: CKRecord?

  static func == (one: Note, other: Note) -> Bool { one.edit == other.edit }
}

/// The app of a device: what it would keep on its disk, and its engine.
private final class Device: CKSyncEngineDelegate {
  struct Disk: Sendable {
    var notes: [String: Note] = [:]
    /// The notes that were deleted here; iCloud may have them still.
    var deletions: Set<String> = []
    var state: Data?
  }

  private let disk: Locked<Disk>
  /// The disk after each event of the last operation.
  private let moments = Locked<[Disk]>([])
  private let database: CKDatabase
  let saves = Locked<[String]>([])

  static let zoneID = CKRecordZone.ID(zoneName: "Notes")

  init(_ database: CKDatabase, _ disk: Disk = Disk()) {
    self.database = database
    self.disk = Locked(disk)
  }

  var now: Disk { disk.withLock { $0 } }
  func takeMoments() -> [Disk] {
    moments.withLock { moments in
      defer { moments = [] }
      return moments
    }
  }

  private func id(_ name: String) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: Self.zoneID)
  }

  /// Starts the engine from the disk, and adds again what the disk has and iCloud lacks.
  func start() throws -> CKSyncEngine {
    let disk = now
    let state = try disk.state.map {
      try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: $0)
    }
    var configuration = CKSyncEngine.Configuration(
      database: database, stateSerialization: state, delegate: self)
    configuration.automaticallySync = false
    let engine = CKSyncEngine(configuration)
    let known = Set(engine.state.pendingRecordZoneChanges)
    let wanted =
      disk.notes.filter(\.value.isDirty).map { .saveRecord(id($0.key)) }
      + disk.deletions.map { CKSyncEngine.PendingRecordZoneChange.deleteRecord(id($0)) }
    engine.state.add(pendingRecordZoneChanges: wanted.filter { !known.contains($0) })
    return engine
  }

  // MARK: What a user does

  func write(_ edit: Int, to name: String, _ engine: CKSyncEngine) {
    disk.withLock { disk in
      disk.notes[name] = Note(edit: edit, isDirty: true, record: disk.notes[name]?.record)
    }
    engine.state.add(pendingRecordZoneChanges: [.saveRecord(id(name))])
  }

  func delete(_ name: String, _ engine: CKSyncEngine) {
    disk.withLock { disk in
      disk.notes[name] = nil
      disk.deletions.insert(name)
    }
    engine.state.add(pendingRecordZoneChanges: [.deleteRecord(id(name))])
  }

  // MARK: Events

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    switch event {
    case .stateUpdate(let update):
      let data = try? JSONEncoder().encode(update.stateSerialization)
      disk.withLock { $0.state = data }
    case .accountChange(let change):
      if case .signIn = change.changeType { addZone(syncEngine) }
    case .fetchedDatabaseChanges(let changes):
      if !changes.deletions.isEmpty {
        Issue.record("nobody deleted a zone")
      }
    case .fetchedRecordZoneChanges(let changes):
      for modification in changes.modifications { take(modification.record) }
      for deletion in changes.deletions { takeDeletion(of: deletion.recordID.recordName) }
    case .sentRecordZoneChanges(let sent): take(sent, syncEngine)
    case .sentDatabaseChanges(let sent):
      let isLost = sent.failedZoneSaves.contains { !Self.passes($0.error) }
      if isLost { addZone(syncEngine) }
    default: break
    }
    moments.withLock { $0.append(now) }
  }

  private func addZone(_ engine: CKSyncEngine) {
    engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
  }

  /// Takes a version of iCloud's, unless the device has a later edit.
  private func take(_ record: CKRecord) {
    let name = record.recordID.recordName
    let edit = record["edit"] as? Int ?? 0
    disk.withLock { disk in
      if disk.deletions.contains(name) { return }
      if let known = disk.notes[name], known.isDirty, known.edit > edit {
        disk.notes[name]?.record = record
      } else {
        disk.notes[name] = Note(edit: edit, isDirty: false, record: record)
      }
    }
  }

  private func takeDeletion(of name: String) {
    disk.withLock { disk in
      disk.notes[name] = nil
      disk.deletions.remove(name)
    }
  }

  private func take(_ sent: CKSyncEngine.Event.SentRecordZoneChanges, _ engine: CKSyncEngine) {
    for record in sent.savedRecords {
      saves.withLock { $0.append("\(record.recordID.recordName) \(record["edit"] as? Int ?? 0)") }
      take(record)
    }
    for id in sent.deletedRecordIDs {
      _ = disk.withLock { $0.deletions.remove(id.recordName) }
    }
    for failure in sent.failedRecordSaves { resolve(failure, engine) }
    for (id, error) in sent.failedRecordDeletes where !Self.passes(error) {
      engine.state.add(pendingRecordZoneChanges: [.deleteRecord(id)])
    }
  }

  private func resolve(
    _ failure: CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave, _ engine: CKSyncEngine
  ) {
    let id = failure.record.recordID
    switch failure.error.code {
    case .serverRecordChanged:
      if let server = failure.error.serverRecord { take(server) }
    case .zoneNotFound, .userDeletedZone: addZone(engine)
    case .unknownItem:
      // The device knows the note from iCloud, where it was deleted meanwhile.
      return takeDeletion(of: id.recordName)
    default: if Self.passes(failure.error) { return }
    }
    if now.notes[id.recordName]?.isDirty == true {
      engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
    }
  }

  private static func passes(_ error: CKError) -> Bool {
    [
      .networkUnavailable, .networkFailure, .serviceUnavailable, .requestRateLimited, .zoneBusy,
      .notAuthenticated, .accountTemporarilyUnavailable, .operationCancelled, .serverResponseLost,
      .batchRequestFailed,
    ].contains(error.code)
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let changes = syncEngine.state.pendingRecordZoneChanges
    var batch = await CKSyncEngine.RecordZoneChangeBatch(
      pendingChanges: Array(changes.prefix(20))
    ) { id in
      guard let note = self.now.notes[id.recordName], note.isDirty else {
        syncEngine.state.remove(pendingRecordZoneChanges: [.saveRecord(id)])
        return nil
      }
      let known = note.record?.copy() as? CKRecord
      let record = known ?? CKRecord(recordType: "Note", recordID: id)
      record["edit"] = note.edit
      return record
    }
    batch?.atomicByZone = changes.count.isMultiple(of: 2)
    return batch
  }
}

/// Engines on several devices come to the same state, whatever happens on the way.
@Suite("CKSyncEngine: model")
struct SyncEngineModelTests {
  private static func setting(_ name: String, _ usual: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
  }

  private static let runs = setting("CKDB_SYNC_RUNS", 8)
  private static let steps = setting("CKDB_SYNC_STEPS", 60)

  @Test(
    "several devices, offline at random, with faults and crashes: all converge, nothing is lost",
    arguments: 0..<runs)
  func converge(run: Int) async throws {
    var model = try SyncModel(seed: UInt64(run), steps: Self.steps)
    try await model.play()
    try await model.settle()
    model.check()
  }
}

/// One run of the model.
private struct SyncModel {
  private let cloud: LocalCloud
  private var random: SplitMix64
  private let steps: Int
  private var devices: [Device] = []
  private var engines: [CKSyncEngine] = []
  private var edits = 0
  /// The last edit of each note, and whether it was deleted.
  private var written: [String: Int] = [:]
  private var deleted: Set<String> = []
  private var crashes = 0
  /// Every second run has crashes; without them, nothing may be sent twice.
  private var hasCrashes: Bool { !seed.isMultiple(of: 2) }
  private let seed: UInt64

  init(seed: UInt64, steps: Int) throws {
    cloud = try LocalCloud()
    (self.seed, self.steps) = (seed, steps)
    random = SplitMix64(state: seed)
    for index in 0..<Int.random(in: 2...4, using: &random) {
      let container = cloud.container(
        "iCloud.org.example.notes", account: "ann", device: "device\(index)")
      devices.append(Device(container.privateCloudDatabase))
      engines.append(try devices[index].start())
    }
  }

  mutating func play() async throws {
    for _ in 0..<steps {
      let index = devices.indices.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<40: write(on: index)
      case 40..<45: delete(on: index)
      case 45..<65: try? await engines[index].sendChanges()
      case 65..<82: try? await engines[index].fetchChanges()
      case 82..<87:
        try cloud.setOnline(Bool.random(using: &random), device: "device\(index)")
      case 87..<95: try addFault()
      default: if hasCrashes { try crash(index) }
      }
      if Int.random(in: 0..<3, using: &random) > 0 { _ = devices[index].takeMoments() }
    }
  }

  private mutating func write(on index: Int) {
    edits += 1
    let known = devices[index].now.notes.keys.sorted()
    let isNew = known.isEmpty || Int.random(in: 0..<3, using: &random) == 0
    let name = isNew ? "n\(edits)" : known.randomElement(using: &random) ?? ""
    written[name] = edits
    devices[index].write(edits, to: name, engines[index])
  }

  private mutating func delete(on index: Int) {
    // A note that iCloud does not have yet could be saved by a lost answer.
    let notes = devices[index].now.notes.filter { $0.value.record != nil }
    guard let name = notes.keys.sorted().randomElement(using: &random) else { return }
    deleted.insert(name)
    devices[index].delete(name, engines[index])
  }

  private mutating func addFault() throws {
    let codes: [CKError.Code] = [
      .internalError, .networkUnavailable, .networkFailure, .serviceUnavailable,
      .requestRateLimited, .notAuthenticated, .permissionFailure, .invalidArguments,
      .serverRejectedRequest, .zoneBusy, .quotaExceeded, .limitExceeded, .serverResponseLost,
      .accountTemporarilyUnavailable, .changeTokenExpired, .operationCancelled,
    ]
    let operations: [LocalCloud.Operation] = [.save, .delete, .changes, .zone, .any]
    let code = codes.randomElement(using: &random) ?? .zoneBusy
    let isOfItems = Int.random(in: 0..<3, using: &random) == 0
    try cloud.fail(
      isOfItems ? .save : operations.randomElement(using: &random) ?? .any, with: code,
      times: Int.random(in: 1...3, using: &random),
      every: isOfItems ? Int.random(in: 1...3, using: &random) : nil,
      afterChange: code == .serverResponseLost || code == .networkFailure)
  }

  /// The app of a device ends at some moment, and starts again from its disk.
  private mutating func crash(_ index: Int) throws {
    crashes += 1
    let moments = devices[index].takeMoments() + [devices[index].now]
    var disk = moments.randomElement(using: &random) ?? Device.Disk()
    // What the user did is on the disk at once.
    let now = devices[index].now
    for (name, note) in now.notes where note.isDirty {
      let known = disk.notes[name]
      if known == nil || note.edit > known?.edit ?? 0 {
        disk.notes[name] = Note(edit: note.edit, isDirty: true, record: known?.record)
      }
    }
    for name in now.deletions {
      disk.notes[name] = nil
      disk.deletions.insert(name)
    }
    let container = cloud.container(
      "iCloud.org.example.notes", account: "ann", device: "device\(index)")
    let saves = devices[index].saves.withLock { $0 }
    devices[index] = Device(container.privateCloudDatabase, disk)
    devices[index].saves.withLock { $0 = saves }
    engines[index] = try devices[index].start()
  }

  /// Without faults, all devices exchange what they have.
  mutating func settle() async throws {
    try cloud.clearFaults()
    for index in devices.indices { try cloud.setOnline(true, device: "device\(index)") }
    for _ in 0..<12 {
      for engine in engines {
        try? await engine.fetchChanges()
        try? await engine.sendChanges()
      }
    }
  }

  func check() {
    let context: Comment = "seed \(seed), \(devices.count) devices, \(crashes) crashes"
    for (device, engine) in zip(devices, engines) {
      #expect(engine.state.pendingRecordZoneChanges == [], context)
      #expect(device.now.notes == devices[0].now.notes, context)
      #expect(device.now.deletions == [], context)
    }
    let notes = devices[0].now.notes.mapValues(\.edit)
    let expected = written.filter { !deleted.contains($0.key) }
    #expect(notes.filter { !deleted.contains($0.key) } == expected, context)
    // An app that crashed before it noted a save may make a note again that was deleted meanwhile,
    // and send an edit again.
    if hasCrashes { return }
    #expect(notes == expected, context)
    for device in devices {
      let saves = device.saves.withLock { $0 }
      #expect(saves.count == Set(saves).count, context)
    }
  }
}
