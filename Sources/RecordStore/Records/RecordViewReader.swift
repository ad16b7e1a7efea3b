public import CloudModel
internal import FieldCodecs
internal import SQLite
internal import StoreFiles

/// Makes views of one type's records from their rows.
final class RecordViewReader {
  let table: TypeTable
  /// The view of the current row.
  let view: RecordView
  private let columns: [FieldColumn]
  /// How each value is read, and in which column it begins.
  private let sights: [(sight: FieldColumn.Sight, place: Int)]
  /// The author of the last record, by row number.
  private var author: (row: Int64, name: UserRecordName)?

  /// `keys` limits the fields of the views.
  init(
    _ table: TypeTable, _ zone: ZoneID, keys: [FieldName]? = nil,
    fieldsFrom first: Int = SystemColumns.count
  ) {
    self.table = table
    columns = table.columns
    var place = first
    let keys = keys.map { Set($0) }
    sights = columns.map { column in
      defer { place += column.parts.count }
      return (keys?.contains(column.schema.name) == false ? .none : column.sight, place)
    }
    view = RecordView(RecordView.Shape(table.schema, zone))
  }

  /// Moves the view to a row, which has the system columns and all fields.
  func look(at row: Statement) {
    view.name = row.value(SystemColumns.name).utf8
    view.parent =
      row.isNull(SystemColumns.parent)
      ? nil : RecordName(stored: row.text(SystemColumns.parent))
    look(at: row, &view.values)
  }

  /// Adds the system fields.
  func lookAtSystem(of row: Statement, _ users: UserTable) throws(StoreError) {
    view.system = RecordView.System(
      sequence: row.int64(SystemColumns.sequence),
      created: (row.int64(SystemColumns.created), try name(row, SystemColumns.creator, users)),
      modified: (
        row.int64(SystemColumns.modified), try name(row, SystemColumns.modifier, users)
      ),
      share: row.isNull(SystemColumns.share)
        ? nil : RecordName(stored: row.text(SystemColumns.share)))
  }

  private func name(
    _ row: Statement, _ column: Int, _ users: UserTable
  ) throws(StoreError) -> UserRecordName {
    let number = row.int64(column)
    if let author, author.row == number { return author.name }
    let name = try users.author(number).name
    author = (number, name)
    return name
  }

  private func look(at row: Statement, _ values: inout [RecordView.Value]) {
    if values.count != sights.count {
      values = Array(repeating: .none, count: sights.count)
    }
    values.withUnsafeMutableBufferPointer { values in
      for index in values.indices { values[index] = value(row, index) }
    }
  }

  private func value(_ row: Statement, _ index: Int) -> RecordView.Value {
    let (sight, place) = sights[index]
    if case .none = sight { return .none }
    let value = row.value(place)
    if value.isNull { return .none }
    switch sight {
    case .none: return .none
    case .text: return .text(value.utf8)
    case .int64: return .value(.int64(value.int64))
    case .double: return .value(.double(value.double))
    case .plainList:
      let text = value.utf8
      // An empty list does not show its type, which a writer needs.
      return text.count > 2 ? .plainList(text) : .value(.list([]))
    case .references:
      let text = value.utf8
      return ListCodec.isOfNames(text) ? .references(text) : full(row, index, place)
    case .other: return full(row, index, place)
    }
  }

  private func full(_ row: Statement, _ index: Int, _ place: Int) -> RecordView.Value {
    columns[index].value(in: row, at: place).map { .value($0) } ?? .none
  }
}

/// Views of the changed records of a zone, each verified.
public final class RecordViews {
  private let store: EnvironmentStore
  private let zone: StoredZone
  private let sequence: Int64
  private let keys: [FieldName]?
  private var readers: [Int64: Reader] = [:]
  private var last: Reader?

  /// Reads the records of one type.
  private final class Reader {
    let views: RecordViewReader
    /// Those that changed, in their order, if an index has it; a search for each would be slower.
    var stream: Statement?

    init(_ views: RecordViewReader, _ stream: Statement?) {
      (self.views, self.stream) = (views, stream)
    }
  }

  /// Reads records that changed after a sequence number, in the order of their changes; `keys`
  /// limits the fields.
  public init(
    _ store: EnvironmentStore, _ zone: StoredZone, after sequence: Int64, keys: [FieldName]?
  ) {
    (self.store, self.zone, self.sequence, self.keys) = (store, zone, sequence, keys)
  }

  /// Passes the view of a record to `body`, and adds the record to a sum. Throws `StoreError`,
  /// `damagedRecord` if the row does not match its checksum or has another sequence number, and the
  /// errors of `body`.
  public func view(
    numbered number: Int64, type: Int64, changedAt sequence: Int64, _ sum: inout ZoneSum,
    _ body: (RecordView) throws -> Void
  ) throws {
    let reader = try reader(of: type)
    let row = try self.row(of: number, reader)
    defer { if row !== reader.stream { row.reset() } }
    let (table, views) = (reader.views.table, reader.views)
    guard table.isSound(row), row.int64(SystemColumns.zone) == zone.number,
      row.int64(SystemColumns.sequence) == sequence
    else {
      throw StoreError.damaged(
        RecordName(stored: row.text(SystemColumns.name)), in: zone.zone.id)
    }
    sum.add(UInt64(bitPattern: row.int64(SystemColumns.checksum)))
    views.look(at: row)
    try views.lookAtSystem(of: row, store.users)
    try body(views.view)
  }

  /// The row of a record: the next one of the stream, or else one that is searched for.
  private func row(of number: Int64, _ reader: Reader) throws(StoreError) -> Statement {
    if let stream = reader.stream {
      if try stream.next(), stream.int64(0) == number { return stream }
      stream.reset()
      reader.stream = nil
    }
    let row = try reader.views.table.selection(on: store.connection)
    row.bind(number, 1)
    guard try row.next() else {
      throw store.connection.damage("record \(number) of \(reader.views.table.location) is missing")
    }
    return row
  }

  private func reader(of type: Int64) throws(StoreError) -> Reader {
    if let last, last.views.table.number == type { return last }
    if let known = readers[type] {
      last = known
      return known
    }
    let table = try store.table(of: type)
    let stream = try store.feedIndex(of: table).map { (index) throws(StoreError) in
      let stream = try store.connection.query(
        """
        SELECT \(SystemColumns.list)\(FieldReader(table).list) FROM \(table.table) t
        INDEXED BY \(index.identifier) WHERE t._zone = ? AND t._sequence > ?
        ORDER BY t._sequence
        """)
      stream.bind(zone.number, 1)
      stream.bind(sequence, 2)
      return stream
    }
    let reader = Reader(RecordViewReader(table, zone.zone.id, keys: keys), stream)
    readers[type] = reader
    last = reader
    return reader
  }
}
