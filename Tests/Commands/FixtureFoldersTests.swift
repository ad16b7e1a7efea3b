internal import Basics
internal import Glibc
internal import TestSupport
internal import Testing

/// A fixture may name only files of its own folder, unless --allow-files adds others (T6).
@Suite struct FixtureFoldersTests {
  /// Loads a fixture of the folder `f` that names a file; expects exit code 0 or a refusal.
  private func load(
    _ path: String, _ options: [String] = [], stdin: Bool = false,
    preparing prepare: (String) throws -> Void = { _ in }
  ) throws -> CommandFixture.Outcome {
    let fixture = try CommandFixture.withContainer()
    let root = fixture.directory.path
    mkdir(root + "/f", 0o700)
    mkdir(root + "/other", 0o700)
    _ = try fixture.file("f/inside", "in")
    _ = try fixture.file("other/outside", "out")
    try prepare(root)
    let path = path.split(separator: "ROOT", omittingEmptySubsequences: false).joined(
      separator: root)
    let text =
      #"[{"recordName":"a","recordType":"T","fields":{"x":{"file":"\#(path)"}}}]"#
    let file = try fixture.file("f/T.json", text)
    return try fixture.run(
      ["fixture", "load", stdin ? "-" : file]
        + options.map { $0.hasPrefix("/") ? root + $0 : $0 }, input: text)
  }

  @Test(
    "a file of the fixture's folder is read",
    arguments: ["inside", "./inside", "../f/inside", "ROOT/f/inside"])
  func inside(_ path: String) throws {
    #expect(try load(path).code == 0)
  }

  @Test(
    "any other file is refused, with its place",
    arguments: ["/etc/passwd", "/proc/self/environ", "/dev/zero", "../other/outside", ".."])
  func outside(_ path: String) throws {
    let found = try load(path)
    #expect(found.code == 65)
    #expect(found.errors.contains("f/T.json:1:") && found.errors.contains("--allow-files"))
    #expect(!found.errors.contains("root:"))
  }

  @Test("--allow-files adds a folder")
  func allowed() throws {
    #expect(try load("../other/outside", ["--allow-files", "/other"]).code == 0)
    #expect(try load("../other/outside", ["--allow-files", "/f"]).code == 65)
  }

  @Test("links are not followed, neither of the file nor of a folder in its path")
  func links() throws {
    let leaf = try load("link") { _ = symlink("/etc/passwd", $0 + "/f/link") }
    let folder = try load("down/outside") { _ = symlink($0 + "/other", $0 + "/f/down") }
    #expect(leaf.code == 65 && folder.code == 65)
    #expect(leaf.errors.contains("symbolic link") && folder.errors.contains("symbolic link"))
  }

  @Test("`..` after a link leads where the system goes, not where the text seems to")
  func upBehindLink() throws {
    let found = try load("down/../outside") { root in
      mkdir(root + "/other/sub", 0o700)
      _ = symlink(root + "/other/sub", root + "/f/down")
    }
    #expect(found.code == 65 && found.errors.contains("symbolic link"), "\(found.errors)")
  }

  @Test("a pipe is not a regular file, and is not waited for")
  func pipe() throws {
    #expect(try load("pipe") { _ = mkfifo($0 + "/f/pipe", 0o600) }.code == 65)
  }

  @Test("a fixture from standard input may name files below the working directory")
  func standardInput() throws {
    #expect(try load("/etc/passwd", stdin: true).code == 65)
  }

  @Test("the rule also applies to a schema", arguments: ["/etc/passwd", "../other/outside"])
  func schema(_ path: String) throws {
    let fixture = try CommandFixture.withContainer()
    for folder in ["/f", "/other"] { mkdir(fixture.directory.path + folder, 0o700) }
    _ = try fixture.file("other/outside", "DEFINE SCHEMA")
    let file = try fixture.file("f/x.json", #"{"schema":"\#(path)","databases":{}}"#)
    let found = try fixture.run(["fixture", "check", file])
    #expect(found.code == 1 && found.output.contains("--allow-files"), "\(found)")
  }
}
