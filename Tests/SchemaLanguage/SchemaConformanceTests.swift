internal import Basics
internal import SchemaLanguage
internal import Testing

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Schema files of public repositories, if they are available (`make conformance`).
@Suite struct SchemaConformanceTests {
  private static let folder = getenv("CKDB_CONFORMANCE").map { String(cString: $0) + "/ckdb" }
  /// Files that Apple's tool wrote and that are unchanged since.
  private static let exports: Set = [
    "apple__sample-cloudkit-tooling__2.ckdb", "apple__sample-cloudkit-tooling__4.ckdb",
    "boxed__Done-and-done__1.ckdb", "frasergraham__HexRain__1.ckdb",
  ]

  @Test(
    "L3: all real files are understood, and Apple's own exports are printed byte for byte",
    .enabled(if: folder != nil, "make conformance"))
  func realFiles() throws {
    let folder = try #require(Self.folder)
    let names = try FileSystem.list(folder).filter { $0.hasSuffix(".ckdb") }
    #expect(Self.exports.isSubset(of: names))
    for name in names {
      let bytes = try FileSystem.contents(of: "\(folder)/\(name)")
      let schema = try SchemaParser.parse(String(decoding: bytes, as: UTF8.self))
      let printed = SchemaPrinter.text(schema)
      #expect(try SchemaParser.parse(printed) == schema, "\(name)")
      if Self.exports.contains(name) { #expect(Array(printed.utf8) == bytes, "\(name)") }
    }
    print("\(names.count) files, \(Self.exports.count) of them byte for byte")
  }
}
