internal import Basics
internal import CloudModel
internal import FieldCodecs

/// The checksum that each record carries: the sum mod 2^64 of one hash for its system fields
/// and one for each value, so that a field can be subtracted when it is dropped.
enum RecordChecksum {
  static let systemSeed: UInt64 = 1

  /// The hash of the system fields.
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
    var cells = ChecksumCells(checksum: Checksum64(seed: salt))
    cells.add(value)
    return cells.checksum.finish()
  }
}

extension ChecksumCells {
  fileprivate mutating func add(_ value: FieldValue) {
    if case .list(let members) = value { add(members: members) } else { value.write(to: &self) }
  }

  mutating func add(members: [FieldValue]) {
    for member in members { add(member) }
    integer(Int64(members.count))
  }
}
