internal import Basics
internal import FieldCodecs
internal import SQLite

// A source or destination of the cells of values.

/// The current row of a statement.
struct RowCells: CellReader {
  let row: Statement

  func value(_ place: Int) -> Cell { Cell(column: row.value(place)) }

  struct Cell: CellValue {
    let column: Statement.ColumnValue

    var isNull: Bool { column.isNull }
    var isInteger: Bool { column.isInteger }
    var int64: Int64 { column.int64 }
    var double: Double { column.double }
    var utf8: UnsafeRawBufferPointer { column.utf8 }
    var blob: UnsafeRawBufferPointer { column.blob }
  }
}

/// The parameters of a statement from a given place.
struct ParameterCells: CellWriter {
  let statement: Statement
  var place: Int

  mutating func null() {
    statement.bindNull(place)
    place += 1
  }

  mutating func integer(_ number: Int64) {
    statement.bind(number, place)
    place += 1
  }

  mutating func integerOrNull(_ number: Int64) {
    if number == 0 { null() } else { integer(number) }
  }

  mutating func real(_ number: Double) {
    statement.bind(number, place)
    place += 1
  }

  mutating func text(_ text: String) {
    statement.bind(text, place)
    place += 1
  }

  mutating func text(_ utf8: UnsafeRawBufferPointer) {
    statement.bind(utf8: Array(utf8), place)
    place += 1
  }

  mutating func blob(_ bytes: UnsafeRawBufferPointer) {
    statement.bind(Array(bytes), place)
    place += 1
  }
}

/// A checksum of cells; NULL adds nothing.
struct ChecksumCells: CellWriter {
  var checksum: Checksum64

  mutating func null() {}
  mutating func integer(_ number: Int64) { checksum.add(UInt64(bitPattern: number)) }
  mutating func integerOrNull(_ number: Int64) { integer(number) }
  mutating func real(_ number: Double) { checksum.add(number.bitPattern) }
  mutating func text(_ text: String) { checksum.add(text) }
  mutating func text(_ utf8: UnsafeRawBufferPointer) { checksum.add(utf8) }
  mutating func blob(_ bytes: UnsafeRawBufferPointer) { checksum.add(bytes) }
}
