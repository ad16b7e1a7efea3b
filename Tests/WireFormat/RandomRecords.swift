internal import Basics
internal import CloudModel

/// Random records with fields of every type, and their schema.
struct RandomRecords {
  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(state: seed) }

  /// A field of each type of the schema language, named by its position.
  static let schema: RecordTypeSchema = {
    let types = FieldType.Base.allCases.flatMap { base in
      [false, true].flatMap { isList in
        [false, true].map { FieldType(base, isList: isList, isEncrypted: $0) }
      }
    }.filter { FieldType(schemaName: $0.schemaName) != nil }
    return RecordTypeSchema(
      name: RecordType(stored: "Thing"),
      fields: types.enumerated().map { index, type in
        FieldSchema(name: FieldName(stored: "f\(index + 10)"), type: type, indexes: [])
      })
  }()

  mutating func pick<Item>(_ items: [Item]) -> Item {
    items[Int(random.next() % UInt64(items.count))]
  }

  mutating func text() -> String {
    let pool: [Unicode.Scalar] = [
      "a", "b", "{", "}", "[", "]", "\"", "\\", ",", "\n", "\0", "\u{7F}", "\u{9F}", "\u{E9}",
      "\u{301}", "🧭", "\u{10FFFF}", " ", "1", "-",
    ]
    var text = ""
    for _ in 0..<random.next() % 9 { text.unicodeScalars.append(pick(pool)) }
    return text
  }

  mutating func double() -> Double {
    let number = Double(bitPattern: random.next())
    let usual = [0, -0.0, 1, -2.5, 394, 1e22]
    return number.isFinite && random.next() % 4 > 0 ? number : pick(usual)
  }

  mutating func time() -> Timestamp {
    let range = Timestamp.range
    let number = Int64.random(in: range, using: &random)
    return Timestamp(
      milliseconds: pick([number, number >> 20, range.lowerBound, range.upperBound]))
  }

  mutating func name() -> String { pick(["a", "A00001", "115, Chen Mei", "it's", "\"q\"", "~"]) }

  mutating func location() -> FieldValue? {
    let latitude = Double(random.next() % 180_001) / 1000 - 90
    let longitude = Double(random.next() % 360_001) / 1000 - 180
    var place = Location(
      latitude: pick([latitude, latitude, -0.0]), longitude: pick([longitude, longitude, -0.0]))
    if pick([false, true]) { place?.altitude = double() }
    if pick([false, false, true]) {
      place?.horizontalAccuracy = double()
      place?.verticalAccuracy = double()
      place?.course = double()
      place?.speed = double()
      place?.timestamp = time()
    }
    return place.map { .location($0) }
  }

  /// A value of a type that is not a list.
  mutating func value(_ base: FieldType.Base) -> FieldValue? {
    switch base {
    case .string: .string(text())
    case .int64: .int64(pick([0, -1, .max, .min, Int64(bitPattern: random.next())]))
    case .double: .double(double())
    case .number: pick([true, false]) ? value(.int64) : value(.double)
    case .timestamp: .timestamp(time())
    case .bytes:
      .bytes((0..<pick([0, 1, 5])).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    case .location: location()
    case .reference:
      .reference(
        Reference(RecordName(stored: name()), action: pick(Reference.Action.allCases)))
    case .asset:
      Asset(sha256: String(repeating: pick(["0", "f"]), count: 64), size: pick([0, 5, 1 << 40]))
        .map { .asset($0) }
    }
  }

  mutating func value(_ type: FieldType) -> FieldValue? {
    guard type.isList else { return value(type.base) }
    return .list((0..<pick([0, 1, 3])).compactMap { _ in value(type.base) })
  }

  /// A record in which about every third value is missing.
  mutating func next() -> Record {
    var record = Record(
      name: RecordName(stored: name()), type: Self.schema.name, zone: ZoneID(stored: name()))
    if pick([true, false]) { record.parent = RecordName(stored: name()) }
    for field in Self.schema.fields where pick([true, true, false]) {
      record.fields[field.name] = value(field.type)
    }
    if pick([true, false]) {
      record.changeTag = ChangeTag(sequence: 55)
      record.created = Record.Stamp(at: time(), by: UserRecordName(stored: "_ab"))
      record.modified = record.created
    }
    return record
  }
}
