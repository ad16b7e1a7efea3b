// The server's words, in one place so that they are spelled once.
// Sources: `cli-conventions.md` §4 and `cloudkit-semantics.md`, by rule.

extension CloudError {
  /// Nobody is signed in (rule 1.3).
  public static let notSignedIn = CloudError(
    .notAuthenticated, "This request requires an authenticated account",
    hint: "nobody is signed in (--user none)")

  /// A zone that was never saved (rules 2.5, 2.8).
  public static func zoneNotFound(_ zone: ZoneName) -> CloudError {
    CloudError(.zoneNotFound, "Zone '\(zone.text)' does not exist", zoneName: zone.text)
  }

  /// A record that is not there (rule 4.4.13).
  public static func recordNotFound(_ name: RecordName) -> CloudError {
    CloudError(
      .unknownItem, "Record not found: \(name.text)", serverCode: 2003, recordName: name.text)
  }

  /// A type that the schema does not know (§7.3).
  public static func typeNotFound(_ type: RecordType) -> CloudError {
    CloudError(.unknownItem, "Did not find record type: \(type.text)", serverCode: 2003)
  }

  /// A field that the type does not have.
  public static func fieldNotFound(_ field: String, in type: RecordType) -> CloudError {
    CloudError(
      .invalidArguments, "Did not find field: '\(field)' in type: '\(type.text)'",
      serverCode: 2015)
  }

  /// A new type in production (rule 1.2.3).
  public static func newTypeInProduction(_ type: RecordType) -> CloudError {
    CloudError(
      .invalidArguments, "Cannot create new type \(type.text) in production schema",
      serverCode: 2006)
  }

  /// A new field in production (rule 1.2.3).
  public static func newFieldInProduction(
    _ field: FieldName, in type: RecordType
  ) -> CloudError {
    CloudError(
      .invalidArguments,
      "Cannot create or modify field '\(field.text)' in record '\(type.text)' in production schema",
      serverCode: 2006)
  }

  /// An empty list for an unknown field (rule 3.4.4).
  public static func emptyListForNewField(
    _ field: FieldName, in type: RecordType
  ) -> CloudError {
    CloudError(
      .invalidArguments,
      "cannot use an empty list to initialize a new field "
        + "(field '\(field.text)' in record type '\(type.text)' should be more precise)",
      serverCode: 2006)
  }

  /// A value of another type than the field's (rule 3.4.6).
  public static func typeMismatch(
    _ given: FieldType, _ field: FieldName, in type: RecordType, expected: FieldType
  ) -> CloudError {
    CloudError(
      .invalidArguments,
      "invalid attempt to set value type \(given.valueTypeName) for field '\(field.text)' "
        + "for type '\(type.text)', defined to be: \(expected.valueTypeName)",
      serverCode: 2006)
  }

  /// An insert of a name that is taken (§4.1).
  public static func recordExists(server: Record, client: Record) -> CloudError {
    conflict("record to insert already exists", server, client)
  }

  /// An update of another version than the stored one (§4.1).
  public static func tagMismatch(server: Record, client: Record) -> CloudError {
    conflict("client oplock error updating record", server, client)
  }

  private static func conflict(
    _ message: String, _ server: Record, _ client: Record
  ) -> CloudError {
    var error = CloudError(
      .serverRecordChanged, message, serverCode: 2004, recordName: server.name.text)
    error.conflict = Conflict(server: server, client: client)
    return error
  }
}
