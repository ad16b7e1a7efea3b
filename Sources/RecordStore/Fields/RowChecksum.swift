internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import SQLite

// The checksum of a record, computed from its row. It makes no values: every record that leaves the
// store is verified, and most of them are only passed on.
extension TypeTable {
  /// Whether a row, which has the system columns and then all fields, matches its checksum.
  func isSound(_ row: Statement, fieldsFrom first: Int = SystemColumns.count) -> Bool {
    var sum = systemChecksum(row)
    var place = first
    for column in layout.checked {
      sum &+= column.checksum(row, at: place)
      place += column.width
    }
    return sum == UInt64(bitPattern: row.int64(SystemColumns.checksum))
  }

  /// The hash that `RecordChecksum.system` computes from a record.
  private func systemChecksum(_ row: Statement) -> UInt64 {
    var checksum = Checksum64(seed: RecordChecksum.systemSeed)
    checksum.add(row.value(SystemColumns.name).utf8)
    checksum.add(number)
    for column in SystemColumns.sequence...SystemColumns.modifier {
      checksum.add(row.int64(column))
    }
    checksum.add(row.value(SystemColumns.parent).utf8)
    checksum.add(row.value(SystemColumns.share).utf8)
    return checksum.finish()
  }
}

/// What the checksum of a row needs to know about a field, as plain values, so that nothing is
/// retained for each row.
struct CheckedColumn {
  let base: FieldType.Base
  let isList: Bool
  /// The number of its columns.
  let width: Int
  let salt: UInt64

  init(_ column: FieldColumn) {
    (base, isList) = (column.schema.type.base, column.schema.type.isList)
    (width, salt) = (column.parts.count, column.salt)
  }

  /// The hash of the value in the columns from `place`, as `RecordChecksum.value` computes it from
  /// a value; 0 for NULL.
  fileprivate func checksum(_ row: Statement, at place: Int) -> UInt64 {
    let value = row.value(place)
    if value.isNull { return 0 }
    var cells = ChecksumCells(checksum: Checksum64(seed: salt))
    if isList {
      cells.add(list: value.utf8, base: base)
    } else {
      base.copy(RowCells(row: row), at: place, to: &cells)
    }
    return cells.checksum.finish()
  }
}

extension Checksum64 {
  fileprivate mutating func add(_ number: Int64) { add(UInt64(bitPattern: number)) }
}

extension ChecksumCells {
  /// Adds the members of a list's text, as `RecordChecksum.value` adds those of a list.
  fileprivate mutating func add(list text: UnsafeRawBufferPointer, base: FieldType.Base) {
    if base == .string || base == .reference, addPlain(text, base) { return }
    add(members: ListCodec.decode(text, base: base))
  }

  /// Adds the members of `["a","b"]`, texts or references without an action, if no text in it has
  /// an escape; returns false for all others.
  private mutating func addPlain(
    _ text: UnsafeRawBufferPointer, _ base: FieldType.Base
  ) -> Bool {
    guard text.count > 2, text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]"),
      !text.has(UInt8(ascii: "\\"))
    else { return false }
    let before = checksum
    var (place, count): (Int, UInt64) = (1, 0)
    while place < text.count, text[place] == UInt8(ascii: "\"") {
      var end = place + 1
      while end < text.count, text[end] != UInt8(ascii: "\"") { end += 1 }
      guard end < text.count - 1 else { break }
      checksum.add(UnsafeRawBufferPointer(rebasing: text[(place + 1)..<end]))
      if base == .reference { integerOrNull(Int64(Reference.Action.none.rawValue)) }
      count += 1
      if end == text.count - 2 {
        checksum.add(count)
        return true
      }
      guard text[end + 1] == UInt8(ascii: ",") else { break }
      place = end + 2
    }
    checksum = before
    return false
  }
}
