internal import Basics
internal import CloudModel
internal import Testing

@testable internal import RecordStore

/// Dropping and changing parts of the schema leaves a sound file (DS4).
@Suite struct SchemaDroppingTests {
  @Test("DS4: counts, checksums and links are right after every change of the schema")
  func invariants() throws {
    for seed in 0..<6 {
      let fixture = try StoreFixture()
      var random = SplitMix64(state: UInt64(seed))
      func pick(_ count: UInt64) -> Int { Int(random.next() % count) }
      var made = 0
      for _ in 0..<40 {
        try fixture.write { (store) throws in
          let type = "T\(pick(3))"
          switch pick(6) {
          case 0:
            if let table = try store.table(RecordType(stored: type)) { try store.drop(table) }
          case 1:
            if let table = try store.table(RecordType(stored: type)),
              let field = table.schema.fields.first
            {
              try store.dropField(field.name, of: table)
            }
          case 2 where pick(4) == 0: try store.deleteAllZones()
          default:
            let bases: [FieldType.Base] = [.string, .int64, .location, .reference]
            let base = bases[pick(4)]
            let name = "f\(base.rawValue.lowercased())"
            let table = try store.type(type, [(name, FieldType(base))])
            made += 1
            let value: FieldValue =
              switch base {
              case .string: .string("x\(made)")
              case .int64: .int64(Int64(made))
              case .location: .location(Location(latitude: 1, longitude: 2)!)
              default:
                .reference(
                  Reference(RecordName(stored: "r\(pick(9))"), action: .allCases[pick(3)]))
              }
            _ = try store.insert(
              record("r\(made)", type, zone: ["Notes", "_defaultZone"][pick(2)], [(name, value)]),
              table)
          }
        }
        try fixture.checkInvariants()
      }
    }
  }
}
