internal import CloudModel

/// NUMBER: a number of either kind, stored as a value of that kind (R3.6.4).
enum NumberCodec {
  /// The column of a number.
  static let columns = [CodecColumn("", "ANY")]

  /// Reads a cell that is not NULL.
  static func read(_ row: some CellReader, at place: Int) -> FieldValue {
    let cell = row.value(place)
    return cell.isInteger ? .int64(cell.int64) : .double(cell.double)
  }

  /// Writes the cell of a row.
  static func copy(
    _ row: some CellReader, at place: Int, to cells: inout some CellWriter
  ) {
    let cell = row.value(place)
    if cell.isInteger { cells.integer(cell.int64) } else { cells.real(cell.double) }
  }

  /// Returns an integer, or else a real number, from two codecs.
  static func first(_ integer: Int64?, _ real: @autoclosure () -> Double?) -> FieldValue? {
    integer.map { .int64($0) } ?? real().map { .double($0) }
  }
}
