internal import CloudModel
internal import SQLite
internal import StoreFiles

extension EnvironmentStore {
  /// Removes assets with the given hashes from all records, as new versions of these. Returns the
  /// records as they were. Call it within a write transaction.
  func removeAssets(
    _ hashes: Set<String>, at time: Timestamp
  ) throws(StoreError) -> [LostRecord] {
    var changed: [LostRecord] = []
    for type in try types() {
      guard let table = try table(type), table.hasAssets else { continue }
      for stored in try records(of: table, with: hashes) {
        var record = stored.record
        var names: [String] = []
        for entry in stored.record.fields.entries where entry.value.has(hashes) {
          record.fields[entry.name] = entry.value.without(hashes)
          names.append(entry.name.text)
        }
        let modifier = StoredUser(
          number: 0, author: stored.modifier, name: UserRecordName(stored: ""), device: .cli)
        _ = try update(stored, to: record, table, at: time, by: modifier)
        changed.append(
          LostRecord(
            stored.record,
            "the contents of \(names.joined(separator: ", ")) are missing or damaged"))
      }
    }
    return changed
  }

  private func records(
    of table: TypeTable, with hashes: Set<String>
  ) throws(StoreError) -> [StoredRecord] {
    let reader = FieldReader(table, keys: nil)
    let rows = try connection.query(
      """
      SELECT \(SystemColumns.list)\(reader.list), z.name FROM \(table.table) t
      JOIN _zone z ON z._id = t._zone
      """)
    let count = reader.columns.reduce(SystemColumns.count) { $0 + $1.parts.count }
    var records: [StoredRecord] = []
    while try rows.next() {
      let fields = reader.fields(in: rows, from: SystemColumns.count)
      guard fields.entries.contains(where: { $0.value.has(hashes) }) else { continue }
      var record = try stored(in: rows, table, ZoneID(stored: rows.text(count)))
      record.record.fields = fields
      records.append(record)
    }
    return records
  }
}

extension FieldValue {
  fileprivate func has(_ hashes: Set<String>) -> Bool {
    assets.contains { hashes.contains($0.sha256) }
  }

  /// The value without assets of the given hashes; nil if nothing is left.
  fileprivate func without(_ hashes: Set<String>) -> FieldValue? {
    guard case .list(let members) = self else { return nil }
    return .list(members.filter { !$0.has(hashes) })
  }
}
