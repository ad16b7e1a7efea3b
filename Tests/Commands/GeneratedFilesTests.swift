internal import Basics
internal import CommandKit
internal import Glibc
internal import Testing

@testable internal import Commands

/// `completions/` and `man/` are generated from the command table (DS8).
///
/// `make generate` writes them again.
@Suite("Generated files", .serialized)
struct GeneratedFilesTests {
  /// The date in the manual pages; it changes with their wording, not with every build.
  private static let manualDate = "November 24, 2026"

  private static var files: [(path: String, text: String)] {
    let session = Session(.process())
    let pages = session.table.manual(date: manualDate).map { ("man/\($0.name)", $0.text) }
    return [
      ("completions/ckdb.bash", Shell.bash.script), ("completions/_ckdb", Shell.zsh.script),
      ("completions/ckdb.fish", Shell.fish.script),
    ] + pages
  }

  private static var root: String {
    // Tests/Commands/GeneratedFilesTests.swift is three levels below the top.
    (0..<3).reduce(#filePath) { path, _ in FileSystem.parent(of: path) }
  }

  @Test("completions and manual pages are current")
  func areCurrent() throws {
    let writes = getenv("CKDB_GENERATE") != nil
    for (path, text) in Self.files {
      let full = "\(Self.root)/\(path)"
      if writes { try FileSystem.replace(full, with: Array(text.utf8)) }
      let stored = (try? FileSystem.contents(of: full)) ?? []
      #expect(
        String(decoding: stored, as: UTF8.self) == text, "\(path) is not current: make generate")
    }
  }

  @Test("there are no other files beside the generated ones")
  func areComplete() throws {
    for folder in ["completions", "man"] {
      let expected = Self.files.map(\.path).filter { $0.hasPrefix(folder + "/") }
      let names = try FileSystem.list("\(Self.root)/\(folder)").map { "\(folder)/\($0)" }
      #expect(names == expected.sorted(by: utf8Precedes))
    }
  }
}
