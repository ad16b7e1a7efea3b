internal import Basics
public import CloudModel
internal import FieldCodecs
internal import SQLite
public import StoreFiles

/// The layout of a type's table at one moment: a value that other threads may keep.
public struct TypeLayout: Sendable {
  /// Counts the changes of the table; a row is valid only for the layout that it was made for.
  let version: Int
  let columns: [FieldColumn]
  /// The same counter for checksums.
  let checked: [CheckedColumn]
  /// The positions of the fields by their names, if there are many.
  private let places: [String: Int]?
  /// Up to this number, names are found as fast one by one.
  private static let few = 16

  init(version: Int, columns: [FieldColumn]) {
    self.version = version
    self.columns = columns
    checked = columns.map { CheckedColumn($0) }
    places =
      columns.count <= Self.few
      ? nil
      : Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1.schema.name.text, $0) })
  }

  /// The number of fields.
  public var count: Int { columns.count }

  /// The position of a field among the columns.
  public func place(of name: FieldName) -> Int? {
    if let places { return places[name.text] }
    return columns.firstIndex { $0.schema.name == name }
  }

  /// The field at a position.
  public func field(at place: Int) -> FieldSchema { columns[place].schema }

  /// Appends the values of a draft as a row that is ready to be written: the cells that SQLite
  /// reads, and the checksum. `indices` has the field for each position, -1 for none.
  public func append(
    _ fields: [RecordDraft.Field], at indices: [Int], to rows: inout PreparedRows
  ) -> PreparedRow {
    var row = PreparedRow(version: version, firstCell: rows.content.cells.count)
    for place in columns.indices {
      let index = indices[place]
      guard index >= 0, let value = fields[index].value else {
        for _ in columns[place].parts { rows.content.null() }
        continue
      }
      value.write(to: &rows.content)
      row.size += columns[place].schema.name.text.utf8.count + value.size
      row.checksum &+= RecordChecksum.value(value, salt: columns[place].salt)
    }
    row.cellCount = rows.content.cells.count - row.firstCell
    return row
  }
}

/// One of `PreparedRows`: the range of its cells, and what is known about the whole.
public struct PreparedRow: Sendable {
  let version: Int
  let firstCell: Int
  var cellCount = 0
  /// The sum of the values' checksums.
  var checksum: UInt64 = 0
  /// Bytes that count towards the record's size.
  public var size = 0

  init(version: Int, firstCell: Int) {
    self.version = version
    self.firstCell = firstCell
  }
}

/// The values of many records as SQLite will read them, prepared before the writing thread needs
/// them: all texts in one piece of memory, and a cell for each column of each row. Threads that
/// share a thousand small objects wait for each other's caches; sharing two arrays is cheap.
public struct PreparedRows: Sendable {
  fileprivate var content = PreparedCells()

  /// Reserves room for rows.
  public init() {}

  /// Removes the rows and keeps the memory.
  public mutating func removeAll() {
    content.cells.removeAll(keepingCapacity: true)
    content.bytes.removeAll(keepingCapacity: true)
  }

  /// Removes the last row.
  public mutating func removeLast(_ row: PreparedRow) {
    content.cells.removeLast(content.cells.count - row.firstCell)
  }
}

/// Cells, and the bytes of their texts and blobs.
private struct PreparedCells: CellWriter, Sendable {
  var cells: [Cell] = []
  var bytes: [UInt8] = []

  enum Cell: Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(start: Int, count: Int)
    case blob(start: Int, count: Int)
  }

  mutating func null() { cells.append(.null) }
  mutating func integer(_ number: Int64) { cells.append(.integer(number)) }
  mutating func integerOrNull(_ number: Int64) {
    cells.append(number == 0 ? .null : .integer(number))
  }
  mutating func real(_ number: Double) { cells.append(.real(number)) }

  mutating func text(_ text: String) {
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    cells.append(.text(start: start, count: bytes.count - start))
  }

  mutating func text(_ utf8: UnsafeRawBufferPointer) {
    cells.append(.text(start: bytes.count, count: utf8.count))
    bytes.append(contentsOf: utf8)
  }

  mutating func blob(_ blob: UnsafeRawBufferPointer) {
    cells.append(.blob(start: bytes.count, count: blob.count))
    bytes.append(contentsOf: blob)
  }
}

extension Statement {
  /// Runs with the cells of a row bound from `first` on; they are not copied.
  func run(
    _ row: PreparedRow, of rows: PreparedRows, from first: Int
  ) throws(StoreError) {
    let result = rows.content.bytes.withUnsafeBytes { bytes -> Result<Void, StoreError> in
      for index in 0..<row.cellCount {
        let place = first + index
        switch rows.content.cells[row.firstCell + index] {
        case .null: bindNull(place)
        case .integer(let number): bind(number, place)
        case .real(let number): bind(number, place)
        case .text(let start, let count):
          bind(borrowedText: .init(rebasing: bytes[start..<start + count]), place)
        case .blob(let start, let count):
          bind(borrowedBlob: .init(rebasing: bytes[start..<start + count]), place)
        }
      }
      do throws(StoreError) { return .success(try perform()) } catch { return .failure(error) }
    }
    try result.get()
  }
}

extension EnvironmentStore {
  /// Inserts a record whose row was prepared for the current layout of the type.
  ///
  /// Returns false if the name is taken in the zone, nil if the layout has changed since.
  public func insert(
    _ row: PreparedRow, of rows: PreparedRows, name: RecordName, _ table: TypeTable,
    in zone: StoredZone, at time: Timestamp, by user: StoredUser
  ) throws(StoreError) -> Bool? {
    guard row.version == table.layout.version else { return nil }
    let stamp = stamp(time, by: user)
    let number = try insert(
      name: name, parent: nil, values: row.checksum, bytes: Int64(row.size), table, in: zone,
      created: stamp, modified: stamp
    ) { (statement) throws(StoreError) in
      try statement.run(row, of: rows, from: TypeTable.firstInsertedField)
    }
    return number != nil
  }
}
