internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import Testing

/// Each codec reads what it writes, in all forms (DS4, M4).
@Suite struct CodecTests {
  /// Cells in memory.
  private struct Cells: CellWriter, CellReader {
    enum Cell: CellValue, Equatable {
      case null
      case integer(Int64)
      case real(UInt64)
      case text([UInt8])
      case blob([UInt8])

      var isNull: Bool { self == .null }
      var isInteger: Bool { if case .integer = self { true } else { false } }
      var int64: Int64 { if case .integer(let number) = self { number } else { 0 } }
      var double: Double {
        if case .real(let bits) = self { Double(bitPattern: bits) } else { 0 }
      }
      // The tests keep the cells alive longer than the pointers into them.
      var utf8: UnsafeRawBufferPointer { bytes }
      var blob: UnsafeRawBufferPointer { bytes }

      private var bytes: UnsafeRawBufferPointer {
        switch self {
        case .text(let bytes), .blob(let bytes):
          let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
          copy.copyBytes(from: bytes)
          return UnsafeRawBufferPointer(copy)
        case .null, .integer, .real: return UnsafeRawBufferPointer(start: nil, count: 0)
        }
      }
    }

    var cells: [Cell] = []

    func value(_ place: Int) -> Cell { cells[place] }
    mutating func null() { cells.append(.null) }
    mutating func integer(_ number: Int64) { cells.append(.integer(number)) }
    mutating func integerOrNull(_ number: Int64) {
      cells.append(number == 0 ? .null : .integer(number))
    }
    mutating func real(_ number: Double) { cells.append(.real(number.bitPattern)) }
    mutating func text(_ text: String) { cells.append(.text(Array(text.utf8))) }
    mutating func text(_ utf8: UnsafeRawBufferPointer) { cells.append(.text(Array(utf8))) }
    mutating func blob(_ bytes: UnsafeRawBufferPointer) { cells.append(.blob(Array(bytes))) }
  }

  /// A value of a type.
  private static func value(
    _ base: FieldType.Base, _ random: inout SplitMix64
  ) throws -> FieldValue {
    func number(_ limit: UInt64) -> UInt64 { random.next() % limit }
    func text() -> String {
      let parts = ["a", "é", "\"", "\\", "[", "\u{0}", "\n", "1", "", "\u{1F600}"]
      return (0..<number(6)).map { _ in parts[Int(number(10))] }.joined()
    }
    func real() -> Double {
      let pick = [0, -0.0, 1, 0.1, 1e308, 1e-300, -39.5][Int(number(7))]
      return number(2) == 0 ? pick : Double(Int64(bitPattern: random.next()))
    }
    switch base {
    case .string: return .string(text())
    case .int64: return .int64(Int64(bitPattern: random.next()) >> Int64(number(64)))
    case .double: return .double(real())
    case .number: return number(2) == 0 ? .int64(Int64(number(99))) : .double(real())
    case .timestamp:
      return .timestamp(Timestamp(milliseconds: .random(in: Timestamp.range, using: &random)))
    case .bytes: return .bytes((0..<number(9)).map { _ in UInt8(number(256)) })
    case .location:
      var place = try #require(
        Location(latitude: Double(number(181)) - 90, longitude: Double(number(361)) - 180))
      if number(2) == 0 { place.altitude = real() }
      if number(2) == 0 { place.speed = real() }
      if number(2) == 0 { place.timestamp = Timestamp(milliseconds: Int64(number(9))) }
      return .location(place)
    case .reference:
      let action = Reference.Action.allCases[Int(number(3))]
      return .reference(
        Reference(try RecordName("r\(number(9))[\"x\"],1"), action: action))
    case .asset:
      let hash = String(repeating: "0123456789abcdef", count: 4)
      return .asset(try #require(Asset(sha256: hash, size: Int64(number(1 << 40)))))
    }
  }

  @Test(
    "cells, members of lists and cells of a row read back unchanged",
    arguments: FieldType.Base.allCases)
  func columns(_ base: FieldType.Base) throws {
    var random = SplitMix64(state: 3)
    for _ in 0..<500 {
      let value = try Self.value(base, &random)
      var cells = Cells()
      value.write(to: &cells)
      #expect(cells.cells.count == FieldType(base).columns.count)
      #expect(FieldType(base).read(cells, at: 0) == value)
      var copy = Cells()
      base.copy(cells, at: 0, to: &copy)
      #expect(copy.cells == cells.cells, "\(value)")
      let list = FieldValue.list([value, try Self.same(value, base, &random)])
      var listCells = Cells()
      list.write(to: &listCells)
      #expect(FieldType(base, isList: true).read(listCells, at: 0) == list)
    }
    var empty = Cells()
    for _ in FieldType(base).columns { empty.null() }
    #expect(FieldType(base).read(empty, at: 0) == nil)
  }

  /// Another value that may be in the same list.
  private static func same(
    _ value: FieldValue, _ base: FieldType.Base, _ random: inout SplitMix64
  ) throws -> FieldValue {
    while true {
      let other = try Self.value(base, &random)
      if other.type == value.type { return other }
    }
  }

  @Test("texts and plain JSON read back by their type", arguments: FieldType.Base.allCases)
  func texts(_ base: FieldType.Base) throws {
    var random = SplitMix64(state: 5)
    for _ in 0..<500 {
      let value = try Self.value(base, &random)
      var bytes: [UInt8] = []
      bytes.append(plain: value)
      let json = try JSONParser.parse(String(decoding: bytes, as: UTF8.self))
      switch json {
      case .object(let members): #expect(try FieldValue(plain: members) == value)
      case .string(let text): #expect(FieldValue(text: text, as: base) == value)
      case .int(let number): #expect(FieldValue.int64(number) == value)
      case .double(let number): #expect(FieldValue.double(number) == value)
      case .null, .bool, .outOfRange, .array: Issue.record("\(value) became \(json.kind)")
      }
      if case .object = json { continue }
      #expect(FieldValue(text: value.cellText, as: base) == value, "\(value.cellText)")
    }
  }
}
