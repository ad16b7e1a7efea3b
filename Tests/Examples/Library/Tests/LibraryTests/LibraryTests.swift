import Library
import Testing

@Suite(.serialized) struct LibraryTests {
  @Test func longBooks() throws {
    #expect(try Library().longBooks() == ["b1"])
  }

  @Test func nobodyIsSignedIn() throws {
    try Library().run("fault", "add", "--operation", "query", "--code", "notAuthenticated")
    #expect(throws: Library.Failure(exitCode: 77)) { try Library().longBooks() }
    try Library().run("fault", "clear")
  }
}
