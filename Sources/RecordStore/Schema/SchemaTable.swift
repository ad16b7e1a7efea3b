internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

extension EnvironmentStore {
  /// The names of the record types, in byte order.
  public func types() throws(StoreError) -> [RecordType] {
    try catalog.types()
  }

  /// A record type's table; nil for an unknown type.
  public func table(_ type: RecordType) throws(StoreError) -> TypeTable? {
    if let table = try catalog.table(type) { return table }
    // A writer that makes many types has no time to search past the index for each.
    guard state.changes == nil, !allowsDamage, try catalog.types().contains(type) else {
      return nil
    }
    throw connection.damage("an index of _type is damaged")
  }

  /// A record type as of the last transaction; nil if it was not used yet.
  public func knownTable(_ type: RecordType) -> TypeTable? { catalog.known(type) }

  /// Adds a record type without fields.
  public func addType(
    _ type: RecordType, grants: Grants = .ofNewType
  ) throws(StoreError) -> TypeTable {
    try catalog.addType(type, grants)
  }

  /// The maximum number of columns for a record type's fields: SQLite's limit for a table and for a
  /// result, less the columns of every record. A location takes three, a reference and an asset
  /// two.
  static let mostFieldColumns = 2000 - 16

  /// Adds a field to a record type. Throws `StoreError`, `tooMany` if its table has no room.
  public func addField(_ field: FieldSchema, to table: TypeTable) throws(StoreError) {
    let taken = table.columns.reduce(0) { $0 + $1.parts.count }
    let wanted = FieldColumn(field, number: 0, location: field.name.text).parts.count
    guard taken + wanted <= Self.mostFieldColumns else {
      throw StoreError(
        .tooMany,
        "record type '\(table.schema.name.text)' has no room for field '\(field.name.text)': its "
          + "fields may take \(Self.mostFieldColumns) columns, and a location takes three")
    }
    try catalog.addField(field, to: table)
  }

  /// Turns an INT64 field into a DOUBLE field: values, column and checksums.
  public func widen(_ name: FieldName, of table: TypeTable) throws(StoreError) {
    guard let column = table.column(name.text), column.schema.type.base == .int64,
      !column.schema.type.isList
    else { return }
    try changeChecksums(of: table, column)
    try catalog.widen(name, of: table)
  }

  /// Replaces the part of each value of a field in its record's checksum.
  private func changeChecksums(
    of table: TypeTable, _ column: FieldColumn
  ) throws(StoreError) {
    let rows = try connection.query(
      """
      SELECT _id, _zone, _checksum, \(column.parts[0].name) FROM \(table.table)
      WHERE \(column.parts[0].name) IS NOT NULL
      """)
    let update = try connection.query(
      "UPDATE \(table.table) SET _checksum = ? WHERE _id = ?")
    while try rows.next() {
      let value = rows.int64(3)
      let difference =
        RecordChecksum.value(.double(Double(value)), salt: column.salt)
        &- RecordChecksum.value(.int64(value), salt: column.salt)
      update.bind(rows.int64(2) &+ Int64(bitPattern: difference), 1)
      update.bind(rows.int64(0), 2)
      try update.perform()
      state.changes?.note(
        zone: rows.int64(1), type: table.number, Extent(checksum: difference))
    }
  }
}
