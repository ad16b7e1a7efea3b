internal import TestSupport
internal import Testing

@Suite("The demo of the README (make demo)") struct DemoTests {
  @Test("Every step succeeds; nothing else runs the script before a user does")
  func succeeds() throws {
    let result = try RealProgram().shell(
      "sh '\(ProjectFiles.root)/Tests/Samples/demo' '\(RealProgram.path)'")
    #expect(result.code == 0, "\(result.output)")
    #expect(result.output.contains("The demo is done: 12 artists, 36 artworks and 20 cities"))
  }
}
