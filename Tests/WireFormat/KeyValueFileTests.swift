internal import Basics
internal import CloudModel
internal import Testing

@testable internal import WireFormat

/// Files of keys that other programs write (kvs-documents.md A2).
@Suite struct KeyValueFileTests {
  /// A binary property list that Python's plistlib wrote.
  private static let binary =
    Base64.decode(
      """
      YnBsaXN0MDDZAQIDBAUGBwgJCgsMDQ4TGAkZUWJRZFFmUWlRbFFtUW5Rc1F4CTNBx9JmoAAAACM/8AAAAAAAABP/\
      ////////+6MPEBEQAVFhoRIjQAQAAAAAAADSFBUWF1R0eXBlVXZhbHVlUXRRdhQAAAAAAAAAAP//////////QwAB\
      /wgbHR8hIyUnKSstLjdASU1PUVNcYWZsbnCBAAAAAAAAAQEAAAAAAAAAGgAAAAAAAAAAAAAAAAAAAIU=
      """) ?? []

  /// A file like those in `~/Library/SyncedPreferences`: `gone` was removed.
  private static let synced =
    Base64.decode(
      """
      YnBsaXN0MDDTAQIDBAUTW2NoYW5nZWNvdW50VnZhbHVlc1d2ZXJzaW9uEAPTBgcICQwRVGdvbmVVbGV2ZWxUbmFt\
      ZdEKC1l0aW1lc3RhbXAQB9MBCg0ODxBVdmFsdWUQAhEXcBAN0Q0SU0FubhABCA8bIiosMzg+Q0ZQUllfYWRmaW0A\
      AAAAAAABAQAAAAAAAAAUAAAAAAAAAAAAAAAAAAAAbw==
      """) ?? []

  private static let values: [PropertyListValue.Member] = [
    .init("b", .bool(true)), .init("d", .date(Timestamp(milliseconds: 1_777_636_800_000))),
    .init("f", .double(1)), .init("i", .integer(-5)),
    .init("l", .array([.integer(1), .string("a"), .array([.double(2.5)])])),
    .init("m", .dictionary([.init("type", .string("t")), .init("value", .string("v"))])),
    .init("n", .unsigned(.max)), .init("s", .string("x")), .init("x", .data([0, 1, 255])),
  ]

  @Test("K42: a binary property list keeps all types, also integers above Int64")
  func binary() throws {
    #expect(try PropertyListText.values(Self.binary) == Self.values)
  }

  @Test("K42: an XML property list and JSON keep them, too")
  func text() throws {
    let xml = try PropertyListText(Self.values).text
    #expect(try PropertyListText.values(Array(xml.utf8)) == Self.values)
    let json = try JSONParser.parse(KeyValueJSON.object(Self.values).text)
    #expect(try KeyValueJSON.values(json) == Self.values)
  }

  @Test("a file of SyncedPreferences has the values of its keys")
  func synced() throws {
    #expect(
      try PropertyListText.values(Self.synced)
        == [.init("level", .integer(13)), .init("name", .string("Ann"))])
  }

  @Test("the key 'values' alone does not make a file one of SyncedPreferences")
  func values() throws {
    for value in [
      PropertyListValue.string("x"), .dictionary([]), .dictionary([.init("a", .integer(1))]),
      .dictionary([.init("a", .dictionary([.init("b", .integer(1))]))]),
      .dictionary([.init("a", .dictionary([.init("value", .integer(1))]))]),
    ] {
      let members = [PropertyListValue.Member("values", value)]
      let xml = try PropertyListText(members).text
      #expect(try PropertyListText.values(Array(xml.utf8)) == members)
    }
  }

  @Test("no truncated or changed file ends the program")
  func damaged() {
    for bytes in [Self.binary, Self.synced] {
      for index in bytes.indices {
        _ = try? PropertyListText.values(Array(bytes[..<index]))
        for change: UInt8 in [1, 0x10, 0x80, 0xFF] {
          var changed = bytes
          changed[index] ^= change
          _ = try? PropertyListText.values(changed)
        }
      }
    }
  }

  @Test(
    "typed getters convert numbers and booleans as NSNumber does",
    arguments: [
      (.double(1.9), .integer, .integer(1)), (.double(-1.9), .integer, .integer(-1)),
      (.double(1e300), .integer, .integer(.max)), (.bool(true), .integer, .integer(1)),
      (.unsigned(.max), .integer, .integer(-1)), (.integer(13), .double, .double(13)),
      (.bool(false), .double, .double(0)), (.integer(2), .bool, .bool(true)),
      (.double(0), .bool, .bool(false)), (.string("1"), .integer, nil),
      (.date(Timestamp(milliseconds: 0)), .double, nil), (.integer(1), .string, nil),
      (.string("a"), .string, .string("a")),
    ] as [(PropertyListValue, PropertyListValue.Kind, PropertyListValue?)])
  func getters(
    _ value: PropertyListValue, _ kind: PropertyListValue.Kind, _ expected: PropertyListValue?
  ) {
    #expect(value.converted(to: kind) == expected)
  }
}
