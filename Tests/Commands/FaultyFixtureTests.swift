import Basics
import TestSupport
import Testing

/// Fixtures with faults: all faults are reported with their places, and nothing is loaded
/// (N3.2.4).
@Suite struct FaultyFixtureTests {
  /// A file with the places of its faults, and files next to it.
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var files: [File] = []
    var testDescription: String { name }

    struct File: Sendable {
      var name: String
      var text = ""
      var messages: [String]
      var positions: [String] = []
      fileprivate var isBegun = false

      init(name: String, messages: [String]) {
        self.name = name
        self.messages = messages
      }
    }
  }

  static let cases: [Case] = {
    let path = ProjectFiles.root + "/Tests/Commands/Fixtures/faulty.txt"
    let text = (try? FileSystem.contents(of: path)).map { String(decoding: $0, as: UTF8.self) }
    var cases: [Case] = []
    for line in (text ?? "").split(separator: "\n", omittingEmptySubsequences: false) {
      let parts = line.dropFirst(4).split(separator: " | ").map(String.init)
      if line.hasPrefix("=== ") || line.hasPrefix("--- ") {
        if line.hasPrefix("===") { cases.append(Case(name: parts[0])) }
        cases[cases.count - 1].files.append(
          Case.File(name: parts[0], messages: Array(parts[1...])))
      } else if let last = cases.indices.last {
        let file = cases[last].files.indices.last ?? 0
        cases[last].files[file].add(line)
      }
    }
    return cases
  }()

  @Test("there are at least 60 faulty fixtures")
  func enough() { #expect(Self.cases.count >= 60) }

  @Test("every fault has its file, line and column, and nothing is loaded", arguments: cases)
  func fault(_ fault: Case) throws {
    let fixture = try CommandFixture.withContainer()
    let fields = [
      "title=x", "pages:=1", "read:timestamp=2026-01-01", "cover:bytes=", "author:reference=known",
      "place:location=1,2",
    ]
    _ = try fixture.run(["record", "save", "Book", "--name", "known"] + fields)
    let before = try fixture.run(["export", "--system"]).output
    var expected: [(place: String, message: String)] = []
    for file in fault.files {
      let path = try fixture.file(file.name, file.text)
      try #require(file.positions.count == file.messages.count, "\(file.name)")
      expected += zip(file.positions, file.messages).map { ("\(path):\($0)", $1) }
    }
    let path = fixture.directory.path + "/" + fault.name
    let outcome = try fixture.run(["fixture", "load", path])
    #expect(outcome.code != 0)
    let lines = outcome.errors.split(separator: "\n").filter { $0.contains(": error: ") }.dropLast()
    #expect(lines.count == expected.count, "\(outcome.errors)")
    for (line, wanted) in zip(lines, expected) {
      #expect(line.hasPrefix("\(wanted.place): error: "), "\(outcome.errors)")
      let message = wanted.message.replacing("DIR", with: fixture.directory.path)
      #expect(line.contains(message), "\(line)")
    }
    #expect(try fixture.run(["fixture", "check", path]).code == 1)
    #expect(try fixture.run(["export", "--system"]).output == before)
    #expect(try fixture.run(["zone", "list", "-f", "names"]).output == "_defaultZone\n")
    #expect(try fixture.run(["doctor", "--deep", "-q"]).code == 0)
  }
}

extension FaultyFixtureTests.Case.File {
  /// Adds a line; its marks are places.
  fileprivate mutating func add(_ line: Substring) {
    if isBegun { text += "\n" }
    isBegun = true
    let number = text.filter { $0 == "\n" }.count + 1
    var column = 1
    for scalar in line.unicodeScalars {
      if scalar == "▸" {
        positions.append("\(number):\(column)")
      } else {
        column += 1
        text.unicodeScalars.append(scalar)
      }
    }
  }
}
