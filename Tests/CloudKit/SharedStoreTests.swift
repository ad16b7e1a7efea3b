import CloudKit
import CloudKitTesting
import Glibc
import TestSupport
import Testing

/// Stores that several processes use, and what a killed one leaves (library.md §2 and §4, rule 4).
@Suite("CloudKit: processes", .timeLimit(.minutes(2)))
struct SharedStoreTests {
  @Test("500 saves wait for another process's lock, and no task waits for them, on one core")
  func lock() async {
    await #expect(processExitsWith: .success) {
      let binding = try Process.run(
        URL(fileURLWithPath: "/usr/bin/taskset"), arguments: ["-a", "-p", "1", "\(getpid())"])
      binding.waitUntilExit()
      precondition(binding.terminationStatus == 0)
      let cloud = try LocalCloud()
      let database = cloud.container("iCloud.org.example.app").privateCloudDatabase
      try await database.save(CKRecord(recordType: "Note"))
      let folder = cloud.directory.path + "/containers/iCloud.org.example.app/development"
      let holder = Process()
      holder.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
      holder.arguments = [folder + "/lock", "sh", "-c", "echo held; cat"]
      let (input, output) = (Pipe(), Pipe())
      (holder.standardInput, holder.standardOutput) = (input, output)
      try holder.run()
      _ = output.fileHandleForReading.availableData
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 1...500 {
          group.addTask {
            try await database.save(
              CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "n\(number)")))
          }
        }
        // The lock is held until this has ticked: a task that needed their threads would wait
        // forever.
        for _ in 1...20 {
          try await Task.sleep(for: .milliseconds(50))
          _ = try await database.records(for: [CKRecord.ID(recordName: "n1")])
        }
        try input.fileHandleForWriting.close()
        try await group.waitForAll()
      }
      holder.waitUntilExit()
      let ids = (1...400).map { CKRecord.ID(recordName: "n\($0)") }
      let found = try await database.records(for: ids)
      precondition(found.values.allSatisfy { (try? $0.get()) != nil })
    }
  }

  @Test("eight ckdb processes and the library save into one store, and nothing is lost")
  func eight() async throws {
    var program = try RealProgram()
    program.variables["CKDB_CONTAINER"] = "iCloud.org.example.app"
    let made = try program.shell("ckdb init && ckdb container create iCloud.org.example.app")
    #expect(made.code == 0)
    let store = program.directory.path + "/store"
    let cloud = try LocalCloud(at: URL(fileURLWithPath: store, isDirectory: true))
    let database = cloud.container("iCloud.org.example.app").privateCloudDatabase
    let line = """
      for p in 1 2 3 4 5 6 7 8; do
        (for i in $(seq 15); do ckdb -q record save Note --name p$p-$i n:=$i || exit 1; done) &
      done; wait
      """
    let runner = program
    async let commands = Task.detached {
      let outcome = try runner.shell(line)
      return (outcome.code, outcome.errors)
    }.value
    for number in 1...120 {
      let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "l\(number)"))
      record["n"] = number
      try await database.save(record)
    }
    let outcome = try await commands
    #expect(outcome == (0, ""))
    #expect(try program.shell("ckdb query Note --count").output == "240\n")
    #expect(try program.shell("ckdb doctor --deep").code == 0)
  }

  @Test("the next process removes the cloud of a killed one, and an ended one leaves nothing")
  func killed() async throws {
    let notes = try TemporaryDirectory()
    let path = notes.path + "/path"
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let cloud = try LocalCloud()
      _ = try await cloud.container("iCloud.org.example.app").privateCloudDatabase.allRecordZones()
      try Data(cloud.directory.path.utf8).write(to: URL(fileURLWithPath: path))
      kill(getpid(), SIGKILL)
    }
    let left = try String(contentsOfFile: path, encoding: .utf8)
    await #expect(processExitsWith: .success) { [path = path as String] in
      _ = try await CKContainer(identifier: "iCloud.org.example.app").privateCloudDatabase
        .allRecordZones()
      let shared = try LocalCloud.shared
      try Data(shared.directory.path.utf8).write(to: URL(fileURLWithPath: path))
      // As at the end of `main`: nothing releases the shared cloud.
      exit(0)
    }
    let ended = try String(contentsOfFile: path, encoding: .utf8)
    #expect(!FileManager.default.fileExists(atPath: left))
    #expect(!FileManager.default.fileExists(atPath: ended))
  }

  @Test("a store that CKDB_STORE names is used only if it is temporary, or allowed")
  func named() async throws {
    let directory = try TemporaryDirectory()
    let store = directory.path + "/store"
    await #expect(processExitsWith: .success) { [store = store as String] in
      setenv("CKDB_STORE", store, 1)
      let database = CKContainer(identifier: "iCloud.org.example.app").privateCloudDatabase
      do {
        _ = try await database.allRecordZones()
        exit(1)
      } catch let error as CKError where error.code == .missingEntitlement {
        precondition(error.localizedDescription.contains("CKDB_ALLOW_STORE=1"))
      }
    }
    #expect(!FileManager.default.fileExists(atPath: store))
    await #expect(processExitsWith: .success) { [store = store as String] in
      setenv("CKDB_STORE", store, 1)
      setenv("CKDB_ALLOW_STORE", "1", 1)
      setenv("CKDB_USER", "ann", 1)
      setenv("CKDB_CLOCK", "2026-01-01T00:00:00Z", 1)
      let cloud = try LocalCloud.shared
      precondition(cloud.now == Date(timeIntervalSince1970: 1_767_225_600))
      let database = CKContainer(identifier: "iCloud.org.example.app").privateCloudDatabase
      do {
        _ = try await database.allRecordZones()
        exit(1)
      } catch let error as CKError where error.code == .badContainer {}
    }
  }
}
