internal import Basics
internal import CloudModel
internal import StoreFiles

/// The count of some records and the sum of their checksums.
struct Extent: Equatable {
  var count = 0
  var checksum: UInt64 = 0

  static func + (one: Extent, other: Extent) -> Extent {
    Extent(count: one.count + other.count, checksum: one.checksum &+ other.checksum)
  }

  static func - (one: Extent, other: Extent) -> Extent {
    Extent(count: one.count - other.count, checksum: one.checksum &- other.checksum)
  }

  static func += (sum: inout Extent, other: Extent) { sum = sum + other }
}

/// The sums over the records of each type in a zone: they reveal records that a lost write of a
/// page hides, because the former contents of the page have valid checksums.
struct TypeExtents {
  /// In the order of the types' numbers.
  private(set) var list: [TypeExtent] = []

  struct TypeExtent {
    let type: Int64
    var extent: Extent
  }

  /// The sums over the records of a type, by its number.
  subscript(type: Int64) -> Extent {
    get { list.first { $0.type == type }?.extent ?? Extent() }
    set {
      let place = list.firstIndex { $0.type >= type } ?? list.count
      if place < list.count, list[place].type == type {
        list[place].extent = newValue
      } else {
        list.insert(TypeExtent(type: type, extent: newValue), at: place)
      }
    }
  }

  /// Adds the sums over other records.
  mutating func add(_ other: TypeExtents) {
    for added in other.list { self[added.type] += added.extent }
  }
}

// The column `types` of a zone's row has `TYPE:COUNT:CHECKSUM` for each type with records, with
// spaces between them, in the order of the types. The checksum is the lower half of the sum.
extension TypeExtents {
  static let storedBits: UInt64 = 0xffff_ffff

  init(stored text: String) {
    var numbers: [UInt64] = [0]
    var text = text
    text.withUTF8 { bytes in
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
          numbers[numbers.count - 1] = numbers[numbers.count - 1] &* 10 &+ UInt64(byte - 48)
        default: numbers.append(0)
        }
      }
    }
    for place in stride(from: 0, to: numbers.count - 2, by: 3) {
      let extent = Extent(
        count: Int(truncatingIfNeeded: numbers[place + 1]), checksum: numbers[place + 2])
      list.append(TypeExtent(type: Int64(truncatingIfNeeded: numbers[place]), extent: extent))
    }
  }

  var stored: String {
    var text = ""
    for sum in list where sum.extent.count != 0 {
      if !text.isEmpty { text += " " }
      text +=
        String(sum.type) + ":" + String(sum.extent.count) + ":"
        + String(sum.extent.checksum & Self.storedBits)
    }
    return text
  }
}

extension EnvironmentStore {
  /// The damage of the records of a type in some zones, which were all read; nil for none.
  func damage(of table: TypeTable, in zones: [StoredZone], found: Extent) -> StoreError? {
    damage(of: table, in: zones, found.count, checksum: found.checksum)
  }

  /// Whether a zone has records of a type, by the zone's sums.
  public func hasRecords(of table: TypeTable, in zone: StoredZone) -> Bool {
    zone.types.map { TypeExtents(stored: $0)[table.number].count > 0 } ?? false
  }

  /// The damage of the records of a type in some zones, which were counted; nil for none.
  func damage(of table: TypeTable, in zones: [StoredZone], counted: Int) -> StoreError? {
    damage(of: table, in: zones, counted, checksum: nil)
  }

  private func damage(
    of table: TypeTable, in zones: [StoredZone], _ count: Int, checksum: UInt64?
  ) -> StoreError? {
    // An open transaction adds its changes at its end.
    if state.changes != nil { return nil }
    var saved = Extent()
    for zone in zones {
      guard let types = zone.types else { return nil }
      saved += TypeExtents(stored: types)[table.number]
    }
    let isRight = checksum.map { ($0 ^ saved.checksum) & TypeExtents.storedBits == 0 } ?? true
    if saved.count == count, isRight { return nil }
    let type = table.schema.name.text
    let place = zones.count == 1 ? "zone '\(zones[0].zone.id.text)'" : "a zone"
    return StoreError(
      .damagedZone(zones.first?.zone.id ?? .defaultZone),
      saved.count == count
        ? "\(place) is damaged: its records of type '\(type)' do not match their checksum"
        : "\(place) is damaged: \(saved.count.counted("record")) of type '\(type)' were saved, but "
          + "\(count) can be found")
  }
}
