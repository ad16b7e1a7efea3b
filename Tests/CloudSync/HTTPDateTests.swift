internal import Testing

@testable internal import CloudSync

@Suite struct HTTPDateTests {
  @Test(
    "RFC 9110, 5.6.7: a date of HTTP",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777 as Int64?),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("06 Nov 1994", nil), ("", nil),
      ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
    ])
  func seconds(_ text: String, _ seconds: Int64?) {
    #expect(HTTPDate.seconds(text) == seconds)
  }
}
