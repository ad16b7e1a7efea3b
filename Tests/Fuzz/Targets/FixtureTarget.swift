internal import Basics
internal import CloudModel
internal import WireFormat

/// Fixtures as documents: JSON, or property lists for input that begins like XML.
enum FixtureTarget {
  static func run(_ bytes: [UInt8]) {
    let isXML = bytes.first == UInt8(ascii: "<")
    if !isXML { walk(bytes) }
    var reader = FixtureReader(scope: .private, zone: .defaultZone)
    reader.begin("Fixture", type: "Book")
    let isPropertyList = isXML || bytes.starts(with: "bplist".utf8)
    bytes.withUnsafeBytes { reader.readDocument($0, isPropertyList ? .propertyList : .json) }
    reader.finish()
    let fixture = reader.fixture
    var resolver = FixtureResolver(
      [],
      FixtureResolver.Conditions(
        now: Timestamp(milliseconds: 0), seed: 1, directories: ["."]
      ) { (_) throws(CloudError) in throw CloudError(.assetFileNotFound, "there are no files") })
    resolver.allowsMatchers = bytes.count % 2 == 0
    let resolution = resolver.resolve(fixture)
    let lines = bytes.count { $0 == 0x0A } + 1
    for fault in resolution.faults {
      FuzzTarget.law(
        (1...lines).contains(fault.position.line)
          && (1...bytes.count + 1).contains(fault.position.column),
        "\(fault.position) is not in the text")
    }
    // Each record is counted, or has a fault.
    let read = fixture.zones.reduce(0) { $0 + $1.records.count }
    let kept = resolution.zones.reduce(0) { $0 + Array($1.records).count }
    FuzzTarget.law(
      kept == read || resolution.faults.count > fixture.faults.count,
      "\(read - kept) records are lost")
  }

  /// Walking a text gives the same as parsing it.
  private static func walk(_ bytes: [UInt8]) {
    let (parsed, walked) = bytes.withUnsafeBytes { bytes in
      (try? JSONParser.parse(bytes), try? takeAll(bytes))
    }
    FuzzTarget.law(parsed?.text == walked?.text, "walked as \(walked?.text ?? "nothing")")
  }

  private static func takeAll(_ bytes: UnsafeRawBufferPointer) throws -> JSONValue {
    var walker = try JSONParser(walking: bytes)
    let value: JSONValue
    switch walker.nextKind {
    case .object:
      var members: [JSONMember] = []
      try walker.object { walker, name, _ in
        members.append(JSONMember(name, try walker.take()))
      }
      value = .object(members)
    case .array:
      var items: [JSONValue] = []
      try walker.array { items.append(try $0.take()) }
      value = .array(items)
    case .other: value = try walker.take()
    }
    try walker.end()
    return value
  }
}
