public import CloudModel
internal import RecordStore

/// Suggests values for a field, from existing records, for word completion.
extension CloudDatabase {
  /// The most common values of a type's field among its first records.
  public func commonValues(
    of field: FieldName, in type: RecordType, zone: ZoneID?
  ) throws(CloudError) -> [FieldValue] {
    try reading(field, type, zone) { try store.commonValues(of: field, in: $0, zones: $1) }
  }

  /// Texts of a type's field that begin with a prefix; none if no index finds them.
  public func texts(
    of field: FieldName, in type: RecordType, zone: ZoneID?, beginningWith prefix: String,
    atMost limit: Int
  ) throws(CloudError) -> [FieldValue] {
    try reading(field, type, zone) { table, zones in
      try store.texts(of: field, in: table, zones: zones, beginningWith: prefix, atMost: limit)
    }
  }

  /// Reads values of a field; none if the user may not read all records of the type or zone, or if
  /// the field is encrypted.
  private func reading(
    _ field: FieldName, _ type: RecordType, _ zone: ZoneID?,
    _ values: (TypeTable, [StoredZone]) throws -> [FieldValue]
  ) throws(CloudError) -> [FieldValue] {
    try requireReader()
    return try environment.read {
      guard let table = try store.table(type), table.field(field)?.type.isEncrypted == false,
        try permissions.visibility(of: table.schema.grants) == .all
      else { return [] }
      let zones = try zone.map { try zoneToRead($0).map { [$0] } ?? [] } ?? storedZones()
      return try values(table, zones.filter(seesAll))
    }
  }

  /// The types that the references in a type's field lead to, judging by the first records.
  public func targetTypes(
    of field: FieldName, in type: RecordType
  ) throws(CloudError) -> [RecordType] {
    try requireReader()
    return try environment.read {
      guard let table = try store.table(type) else { return [] }
      return try store.targetTypes(of: field, in: table)
    }
  }
}
