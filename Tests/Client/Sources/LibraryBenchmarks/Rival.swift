import CloudKitTesting
import Foundation
import GRDB

/// A row, as both sides store it.
struct Row: Codable, FetchableRecord, PersistableRecord, Sendable {
  static let databaseTableName = "row"
  var id: String
  var title: String
  var number: Int
  var ratio: Double
  var date: Date
  var flag: Bool

  init(_ number: Int, round: Int = 0) {
    (id, title, self.number) = ("r\(round)-\(number)", "Title \(number)", number)
    (ratio, date, flag) = (Double(number) / 3, Date(timeIntervalSince1970: 1_700_000_000), true)
  }

  /// The same as a record.
  var record: CKRecord {
    let record = CKRecord(recordType: "Row", recordID: CKRecord.ID(recordName: id))
    record["title"] = title
    record["number"] = number
    record["ratio"] = ratio
    record["date"] = date
    record["flag"] = flag
    return record
  }
}

/// GRDB, on a file that is not synchronized.
struct Rival: Sendable {
  private let queue: DatabaseQueue

  init(in folder: URL) throws {
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
    queue = try DatabaseQueue(
      path: folder.appendingPathComponent("rival.sqlite").path, configuration: configuration)
    try queue.write {
      try $0.execute(
        sql: """
          CREATE TABLE row(
            id TEXT PRIMARY KEY, title TEXT, number INTEGER, ratio DOUBLE, date DATETIME,
            flag BOOLEAN)
          """)
    }
  }

  /// Inserts a row in a transaction of its own.
  func insert(_ row: Row) async throws { try await queue.write { try row.insert($0) } }

  /// Replaces all rows, and makes an index.
  func fill(_ rows: Int) async throws {
    try await queue.write { database in
      try database.execute(sql: "DELETE FROM row")
      for number in 0..<rows { try Row(number).insert(database) }
      try database.execute(sql: "CREATE INDEX byNumber ON row(number)")
    }
  }

  /// Reads 200 rows by the index.
  func rows(from first: Int) async throws -> [Row] {
    try await queue.read {
      try Row.filter(Column("number") >= first && Column("number") < first + 200).fetchAll($0)
    }
  }
}

/// A store with many records in a zone, which the command line imports.
struct LargeStore {
  let database: CKDatabase
  let zoneID = CKRecordZone.ID(zoneName: "Rows")
  private let cloud: LocalCloud

  init(program: String, rows: Int, in folder: URL) throws {
    let file = folder.appendingPathComponent("rows.jsonl")
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    for start in stride(from: 0, to: rows, by: 10_000) {
      let lines = (start..<min(start + 10_000, rows)).map { number in
        let row = Row(number)
        return #"{"recordName":"\#(row.id)","title":"\#(row.title)","number":\#(number),"#
          + #""ratio":\#(row.ratio),"date":{"value":1700000000000,"type":"TIMESTAMP"},"flag":1}"#
      }
      try handle.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
    }
    try handle.close()
    let store = folder.appendingPathComponent("store")
    let script = """
      set -e
      ckdb() { '\(program)' --store '\(store.path)' -q "$@"; }
      ckdb init; ckdb container create iCloud.org.example.bench; ckdb zone create Rows
      ckdb -z Rows import Row '\(file.path)' --name-field recordName
      """
    let process = try Process.run(
      URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", script])
    process.waitUntilExit()
    precondition(process.terminationStatus == 0, "the store was not filled")
    cloud = try LocalCloud(at: store)
    database = cloud.container("iCloud.org.example.bench").privateCloudDatabase
  }
}
