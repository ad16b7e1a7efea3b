import CloudKitTesting
import Foundation
import GRDB

#if canImport(Glibc)
  import Glibc
#endif

/// Measures the library against GRDB on the same rows, in one run: `LibraryBenchmarks CKDB [ROWS]`,
/// where CKDB is the program that fills a store. The database of GRDB is a file that is not
/// synchronized, as a temporary cloud is not.
@main
struct LibraryBenchmarks {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 1 else {
      print("usage: LibraryBenchmarks CKDB [ROWS]")
      exit(64)
    }
    let rows = arguments.count > 2 ? Int(arguments[2]) ?? 1_000_000 : 1_000_000
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let rival = try Rival(in: folder)
    try await saves(rival)
    try await clouds(in: folder)
    try await engines(program: arguments[1])
    let store = try LargeStore(program: arguments[1], rows: rows, in: folder)
    try await rival.fill(rows)
    try await queries(store, rival, of: rows)
    try await changes(store, rows)
  }

  private static func report(_ what: String, _ figures: String) {
    print("\(what.padding(toLength: 38, withPad: " ", startingAt: 0))  \(figures)")
  }

  private static func saves(_ rival: Rival) async throws {
    let count = 10_000
    var ratios: [(ratio: Double, text: String)] = []
    for round in 0..<3 {
      let theirs = try await milliseconds {
        for number in 0..<count { try await rival.insert(Row(number, round: round)) }
      }
      let cloud = try LocalCloud()
      let database = cloud.container("iCloud.org.example.bench").privateCloudDatabase
      let ours = try await milliseconds {
        for number in 0..<count { try await database.save(Row(number, round: round).record) }
      }
      let text = String(format: "GRDB %.0f ms, ckdb %.0f ms: %.2f", theirs, ours, ours / theirs)
      ratios.append((ours / theirs, text))
    }
    ratios.sort { $0.ratio < $1.ratio }
    report("10,000 saves, one by one", ratios[1].text)
  }

  private static func clouds(in folder: URL) async throws {
    func use(_ cloud: LocalCloud) async throws {
      _ = try await cloud.container("iCloud.org.example.bench").privateCloudDatabase
        .allRecordZones()
    }
    let empty = try await median(of: 15) { try await use(LocalCloud()) }
    report("a new cloud and its first request", String(format: "%.1f ms", empty))
    let records = (0..<10_000).map { #"{"recordName":"r\#($0)","title":"Title \#($0)"}"# }
    let fixture = folder.appendingPathComponent("Note.jsonl")
    try Data(records.joined(separator: "\n").utf8).write(to: fixture)
    _ = try LocalCloud(fixture: fixture)
    let cached = try await median(of: 15) { try await use(LocalCloud(fixture: fixture)) }
    report("the same with 10,000 records, cached", String(format: "%.1f ms", cached))
  }

  private static func engines(program: String) async throws {
    let delays = try await SyncBenchmarks(program: program).delays(count: 500)
    report(
      "a command's change reaches a delegate",
      String(
        format: "median %.1f ms, p99 %.1f ms, most %.1f ms", delays[delays.count / 2],
        delays[delays.count * 99 / 100], delays[delays.count - 1]))
    let (batches, time) = try await SyncBenchmarks(program: program).burst(count: 1000)
    report(
      "1,000 changes to another device",
      String(format: "%.0f ms, in batches of %@", time, "\(batches)"))
  }

  private static func queries(_ store: LargeStore, _ rival: Rival, of rows: Int) async throws {
    var ratios: [(ratio: Double, text: String)] = []
    for round in 0..<201 {
      let first = (round * 40_503) % (rows - 200)
      let theirs = try await milliseconds {
        let rows = try await rival.rows(from: first)
        precondition(rows.count == 200)
      }
      let query = CKQuery(
        recordType: "Row",
        predicate: NSPredicate(format: "number >= %d AND number < %d", first, first + 200))
      let ours = try await milliseconds {
        let matches = try await store.database.records(matching: query, resultsLimit: 200)
          .matchResults
        let records = try matches.map { try $0.1.get() }
        precondition(records.count == 200)
      }
      // The first query makes the index.
      if round == 0 { continue }
      let text = String(format: "GRDB %.2f ms, ckdb %.2f ms: %.2f", theirs, ours, ours / theirs)
      ratios.append((ours / theirs, text))
    }
    ratios.sort { $0.ratio < $1.ratio }
    report("200 of \(rows) by a number", ratios[ratios.count / 2].text)
  }

  private static func changes(_ store: LargeStore, _ rows: Int) async throws {
    var count = 0
    let time = await milliseconds {
      await withCheckedContinuation { continuation in
        let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: [store.zoneID])
        operation.recordWasChangedBlock = { _, _ in count += 1 }
        operation.fetchRecordZoneChangesResultBlock = { _ in continuation.resume() }
        store.database.add(operation)
      }
    }
    precondition(count == rows)
    report(
      "\(rows) changes of a zone",
      String(
        format: "%.0f a second; the process had %d MB at most", Double(count) / time * 1000,
        memory))
  }

  /// The most memory that the process had, in megabytes.
  private static var memory: Int {
    var usage = rusage()
    // RUSAGE_SELF, whose type in Swift differs from that of the parameter.
    getrusage(0, &usage)
    return usage.ru_maxrss / 1024
  }
}

func milliseconds(_ body: () async throws -> Void) async rethrows -> Double {
  let start = ContinuousClock.now
  try await body()
  let time = (ContinuousClock.now - start).components
  return Double(time.seconds) * 1000 + Double(time.attoseconds) / 1e15
}

func median(of count: Int, _ body: () async throws -> Void) async throws -> Double {
  var times: [Double] = []
  for _ in 0..<count { times.append(try await milliseconds(body)) }
  return times.sorted()[count / 2]
}
