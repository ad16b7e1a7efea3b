internal import Basics
internal import CloudModel

/// The checksum that each record carries: the sum mod 2^64 of one hash for its system fields
/// and one for each value, so that a field can be subtracted when it is dropped.
enum RecordChecksum {
  static let systemSeed: UInt64 = 1

  /// The hash of what every record has.
  static func system(
    name: RecordName, type: Int64, sequence: Int64, created: (at: Int64, by: Int64),
    modified: (at: Int64, by: Int64), parent: RecordName?, share: RecordName?
  ) -> UInt64 {
    var checksum = Checksum64(seed: systemSeed)
    checksum.add(name.text)
    for number in [type, sequence, created.at, created.by, modified.at, modified.by] {
      checksum.add(UInt64(bitPattern: number))
    }
    checksum.add(parent?.text ?? "")
    checksum.add(share?.text ?? "")
    return checksum.finish()
  }

  /// The hash of a field's value.
  static func value(_ value: FieldValue, salt: UInt64) -> UInt64 {
    var checksum = Checksum64(seed: salt)
    checksum.add(value)
    return checksum.finish()
  }
}

extension Checksum64 {
  fileprivate mutating func add(_ value: FieldValue) {
    switch value {
    case .string(let text): add(text)
    case .int64(let number): add(UInt64(bitPattern: number))
    case .double(let number): add(number.bitPattern)
    case .timestamp(let time): add(UInt64(bitPattern: time.milliseconds))
    case .bytes(let bytes): bytes.withUnsafeBytes { add($0) }
    case .reference(let reference):
      add(reference.name.text)
      add(UInt64(reference.action.rawValue))
    case .asset(let asset):
      add(asset.sha256)
      add(UInt64(bitPattern: asset.size))
    case .location(let location): add(location)
    case .list(let members): add(members: members)
    }
  }

  mutating func add(members: [FieldValue]) {
    for member in members { add(member) }
    add(UInt64(members.count))
  }

  private mutating func add(_ location: Location) {
    add(location.latitude.bitPattern)
    add(location.longitude.bitPattern)
    if let rest = location.restText { rest.withUnsafeBytes { add($0) } }
  }
}
