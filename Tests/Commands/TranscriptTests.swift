internal import Basics
internal import TestSupport
internal import Testing

/// Command lines with their output, error and exit code (DS9). Each text in
/// `Transcripts` is a topic, each in `Tests/Conformance` one behaviour; each runs in a new
/// directory. Those of `Conformance/services` are requests over HTTP, which `Tests/Server` sends.
@Suite struct TranscriptTests {
  private static let folder = ProjectFiles.root + "/Tests/Commands/Transcripts"
  private static let names = ((try? FileSystem.list(folder)) ?? []).filter {
    $0.hasSuffix(".txt")
  }

  private static let conformance = ProjectFiles.root + "/Tests/Conformance"
  private static let behaviours = ((try? FileSystem.list(conformance)) ?? []).sorted().flatMap {
    noun in
    ((try? FileSystem.list("\(conformance)/\(noun)")) ?? []).sorted()
      .filter { $0.hasSuffix(".txt") }.map { "\(noun)/\($0)" }
  }

  private func text(_ path: String) throws -> String {
    String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
  }

  @Test("there are transcripts")
  func found() { #expect(!Self.names.isEmpty) }

  @Test("DS9: the commands of a transcript give the results in it", arguments: names)
  func transcript(_ name: String) throws {
    let fixture = try CommandFixture(entering: true)
    let transcript = Transcript(try text("\(Self.folder)/\(name)"))
    #expect(!transcript.steps.isEmpty)
    try transcript.run(name, in: fixture)
  }

  @Test("DS9: the commands of a conformance file give the results in it", arguments: behaviours)
  func behaviour(_ name: String) throws {
    let fixture = try CommandFixture(entering: true)
    let transcript = Transcript(try text("\(Self.conformance)/\(name)"))
    #expect(!transcript.steps.isEmpty)
    try transcript.run(name, in: fixture)
  }
}
