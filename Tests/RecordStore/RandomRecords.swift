internal import Basics
internal import CloudModel

@testable internal import RecordStore

/// Records of one type with a field of every kind, drawn from small pools so that values coincide:
/// prefixes of each other, quotes and wildcards, numbers that differ by one bit.
struct RandomRecords {
  var random: SplitMix64
  /// The names of the fields by those of `fields`; fields that are not in it keep their names.
  var fieldNames: [String: String] = [:]

  /// Names that are hard for SQL, the language, or SQLite, which ignores case.
  static let trickyNames = [
    "select", "S", "Select", "order", "size", "first", "IN", "x_1", "X_1", "nil", "self", "table",
    "rowid", "any", "like", "TRUE", "allOf", "CAST", "contains", "zone", "name", "type", "t", "r",
    "date", "ref", "location",
  ]

  /// A source with a generated schema: each field may have another name.
  init(random: SplitMix64, renames: Bool = false) {
    self.random = random
    guard renames else { return }
    var names = Self.trickyNames
    for (field, _) in Self.fields {
      let index = Int(self.random.next() % UInt64(names.count))
      fieldNames[field] = names.remove(at: index)
    }
  }

  /// The fields of the type under their names.
  var schema: [(String, FieldType)] { Self.fields.map { (name(of: $0.0), $0.1) } }

  func name(of field: String) -> String { fieldNames[field] ?? field }

  static let fields: [(String, FieldType)] = [
    ("s", FieldType(.string)), ("t", FieldType(.string)), ("i", FieldType(.int64)),
    ("j", FieldType(.int64)), ("d", FieldType(.double)), ("e", FieldType(.double)),
    ("n", FieldType(.number)), ("w", FieldType(.timestamp)), ("v", FieldType(.timestamp)),
    ("b", FieldType(.bytes)), ("p", FieldType(.location)), ("q", FieldType(.location)),
    ("r", FieldType(.reference)), ("u", FieldType(.reference)),
    ("a", FieldType(.asset)), ("ls", FieldType(.string, isList: true)),
    ("li", FieldType(.int64, isList: true)), ("ld", FieldType(.double, isList: true)),
    ("lw", FieldType(.timestamp, isList: true)), ("lr", FieldType(.reference, isList: true)),
    ("lb", FieldType(.bytes, isList: true)), ("lp", FieldType(.location, isList: true)),
  ]

  static let texts = [
    "", "a", "ab", "abc", "A", "b", "%", "a%", "_", "a_c", "it's", "say \"no\"", ",", "\",\"",
    "a,b", "\\", "\u{e9}", "e\u{301}", "z\u{d7ff}", "z\u{e000}", "🧭", "🧭b", "\u{10ffff}", "\n",
    "\u{1}", "[\"a\"]", "null", "9",
  ]
  static let integers: [Int64] = [
    0, 1, -1, 2, 9, 10, 1 << 53, (1 << 53) - 1, (1 << 53) + 1, -(1 << 53) - 1, .max, .min,
    .max - 1,
  ]
  static let doubles: [Double] = [
    0, -0.0, 1, 0.5, -1, 2, 9, 9.5, 0x1p53, 0x1p53 + 2, 1e15, 1e16, 1e-7, 0.1, 1e300,
    0x1p63, -0x1p63,
  ]
  static let names = ["a", "b", "A", "115, Chen Mei", "it's", "r1", "r2", "_me"]

  mutating func pick<T>(_ pool: [T]) -> T {
    pool[Int(random.next() % UInt64(pool.count))]
  }

  mutating func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }

  mutating func place() -> Location {
    let degrees: [(Double, Double)] = [
      (0, 0), (-0.0, 0), (0, -0.0), (51.5, -0.12), (51.5, 0), (-33.9, 151.2), (89.9, 10), (90, 0),
      (0, 180), (0, -180),
    ]
    let (latitude, longitude) = pick(degrees)
    return Location(latitude: latitude, longitude: longitude) ?? place()
  }

  /// A value of a type that is not a list.
  mutating func value(_ base: FieldType.Base) -> FieldValue {
    switch base {
    case .string: .string(pick(Self.texts))
    case .int64: .int64(pick(Self.integers))
    case .double: .double(pick(Self.doubles))
    case .number: chance(50) ? value(.int64) : value(.double)
    case .timestamp: .timestamp(Timestamp(milliseconds: pick([-1, 0, 1, 86_400_000, 1 << 41])))
    case .bytes: .bytes(pick([[], [0], [0, 1], [255], Array("it's".utf8)]))
    case .location: .location(place())
    case .reference:
      .reference(
        Reference(RecordName(stored: pick(Self.names)), action: pick([.none, .deleteSelf])))
    case .asset:
      Asset(sha256: String(repeating: pick(["0", "f"]), count: 64), size: 5).map { .asset($0) }
        ?? .int64(0)
    }
  }

  mutating func value(_ type: FieldType) -> FieldValue {
    guard type.isList else { return value(type.base) }
    let count = pick([0, 1, 1, 2, 3])
    return .list((0..<count).map { _ in value(type.base) })
  }

  /// A record in which about every third value is missing.
  mutating func next(_ name: String, zone: String = "_defaultZone") -> Record {
    var made = record(name, "Thing", zone: zone)
    for (field, type) in Self.fields where !chance(33) {
      made.fields[FieldName(stored: self.name(of: field))] = value(type)
    }
    if chance(30) { made.parent = RecordName(stored: pick(Self.names)) }
    return made
  }
}

extension StoreFixture {
  /// A store with random records of the type `Thing` in two zones.
  static func withThings(
    _ count: Int, seed: UInt64, renames: Bool = false
  ) throws -> StoreFixture {
    let fixture = try StoreFixture()
    var source = RandomRecords(random: SplitMix64(state: seed), renames: renames)
    try fixture.write { (store) throws in
      let table = try store.type("Thing", source.schema)
      for index in 0..<count {
        let zone = source.pick(["_defaultZone", "Notes"])
        let made = source.next("r\(index)", zone: zone)
        let time = Timestamp(milliseconds: source.pick([-1, 0, 1, 86_400_000]))
        _ = try store.insert(made, table, in: store.zone(zone), at: time, by: store.me())
      }
    }
    return fixture
  }
}
