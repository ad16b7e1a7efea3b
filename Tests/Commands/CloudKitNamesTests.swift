internal import Basics
internal import CommandKit
internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import Commands

/// docs/for-cloudkit-developers.md and `ckdb help NAME` lead from the names of Apple's API to the
/// same commands.
@Suite struct CloudKitNamesTests {
  private static let page = String(
    decoding: (try? FileSystem.contents(of: "\(ProjectFiles.root)/docs/for-cloudkit-developers.md"))
      ?? [],
    as: UTF8.self)

  /// The rows of a table: the names in the first column, and the command in the second.
  private static let rows = page.split(separator: "\n").compactMap { line -> ([String], String)? in
    let cells = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    guard cells.count > 3, cells[1].contains("`") else { return nil }
    let names = cells[1].matches(of: /`([A-Za-z]+)[A-Za-z.]*`/).map { String($0.1) }
    let command = cells[2].firstMatch(of: /`([^`]+)`/).map { String($0.1) } ?? ""
    return (names, command)
  }

  @Test("every API name that help knows is on the page")
  func complete() {
    let words = Self.page.lowercased().replacing(".", with: "")
    for name in HelpWords.apiNames { #expect(words.contains("`\(name)`"), "\(name)") }
  }

  @Test("help finds a page for every name on the page")
  func found() throws {
    let fixture = try CommandFixture()
    for name in Self.rows.flatMap(\.0) where name.hasPrefix("CK") || name.hasPrefix("NS") {
      #expect(try fixture.run(["help", name]).code == 0, "\(name)")
    }
  }

  @Test("every command on the page exists")
  func commands() throws {
    let fixture = try CommandFixture()
    for command in Self.rows.map(\.1) where !command.isEmpty {
      let words = command.split(separator: " ").map(String.init)
      let line = words[0] == "help" ? words : ["help"] + words
      #expect(try fixture.run(line).code == 0, "\(command)")
    }
  }
}
