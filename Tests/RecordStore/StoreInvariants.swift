internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles
internal import Testing

@testable internal import RecordStore

/// Invariants of every environment after every commit (DS4): those that `doctor --deep` checks.
/// `DoctorTests` show that it finds violations.
struct StoreInvariants {
  private let file: EnvironmentFile

  /// Takes the path of the database.
  init(_ path: String) { file = EnvironmentFile(folder: FileSystem.parent(of: path)) }

  func check() throws {
    let result = try file.examine(isDeep: true, patience: Patience(milliseconds: 5000))
    // These tests write assets' hashes without their contents.
    let findings = result.findings.filter { $0.code.severity != .notice && $0.code != .asset }
    #expect(findings.isEmpty)
    // These tests read no contents, so unused ones need not wait for readers.
    let unused = try Connection(path: file.databasePath, mode: .readOnly)
      .integer("SELECT count(*) FROM _asset WHERE uses = 0")
    #expect(unused == 0)
  }
}
