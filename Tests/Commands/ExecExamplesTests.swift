internal import Basics
internal import TestSupport
internal import Testing

/// The examples of `ckdb exec` in docs/fixtures-and-ci.md (M7.3), from Tests/Examples.
@Suite struct ExecExamplesTests {
  private static let examples = ProjectFiles.root + "/Tests/Examples"

  @Test("DS10: the page on fixtures shows the examples as they are")
  func examplesAreShown() throws {
    let page = String(
      decoding: try FileSystem.contents(of: ProjectFiles.root + "/docs/fixtures-and-ci.md"),
      as: UTF8.self)
    let names = [
      "library.json", "expected.json", "test.sh", "Library/Tests/LibraryTests/LibraryTests.swift",
    ]
    for name in names {
      let text = String(
        decoding: try FileSystem.contents(of: "\(Self.examples)/\(name)"), as: UTF8.self)
      #expect(page.contains(text), "\(name)")
    }
  }

  @Test("the page's shell test runs under ckdb exec (M7.3)")
  func shellExample() throws {
    let program = try RealProgram()
    let outcome = try program.shell(
      "cd \(Self.examples) && ckdb exec --fixture library.json -- sh test.sh")
    #expect(outcome.code == 0, "\(outcome)")
    #expect(outcome.errors.contains("zoneBusy 23"))
    let names = try FileSystem.list(program.directory.path)
    #expect(!names.contains { $0.hasPrefix("ckdb-") }, "its store is gone")
  }

  /// Without an index of the library, which takes a quarter of the time.
  @Test("the page's Swift package test runs under ckdb exec (M7.3)")
  func packageExample() throws {
    let program = try RealProgram()
    let outcome = try program.shell(
      """
      cp -R \(Self.examples)/Library \(Self.examples)/library.json . && cd Library &&
      ckdb exec --fixture ../library.json -- swift test --disable-sandbox \\
        -Xswiftc -index-ignore-system-modules
      """)
    #expect(outcome.code == 0, "\(outcome.output)\n\(outcome.errors)")
    #expect(outcome.output.contains("Test run with 2 tests"), "\(outcome.output)")
  }
}
