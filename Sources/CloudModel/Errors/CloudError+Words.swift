internal import Basics

// The server's messages, in one place so that each is written once. Sources: N4, and the rules
// named below.

extension CloudError {
  /// No account is signed in (R1.3.3).
  public static let notSignedIn = CloudError(
    .notAuthenticated, "This request requires an authenticated account",
    remedy: .signIn)

  /// An account whose status does not allow using it (R11.1).
  public static func unavailable(_ account: Account, _ status: AccountStatus) -> CloudError {
    let remedy = Remedy.makeAvailable(account, status)
    guard status == .temporarilyUnavailable else {
      return CloudError(.notAuthenticated, notSignedIn.message, remedy: remedy)
    }
    return CloudError(
      .accountTemporarilyUnavailable,
      "Account temporarily unavailable due to bad or missing auth token", remedy: remedy)
  }

  /// A device that cannot reach iCloud.
  public static func offline(_ device: Device) -> CloudError {
    CloudError(
      .networkUnavailable, "The network is not available: device '\(device.name)' is offline",
      remedy: .connect(device))
  }

  /// A zone that was never saved (R2.5, R2.8).
  public static func zoneNotFound(_ zone: ZoneID, among known: [ZoneID] = []) -> CloudError {
    CloudError(
      .zoneNotFound, "Zone '\(zone.text)' does not exist", zone: zone,
      remedy: .nearest(to: zone.text, among: known.map(\.text)))
  }

  /// A zone that was lost with its user's keys (R2.11).
  public static func encryptedDataReset(_ zone: ZoneID) -> CloudError {
    var error = zoneNotFound(zone)
    error.didResetEncryptedData = true
    error.remedy =
      "the user's encrypted data was reset: create the zone again and upload its records"
    return error
  }

  /// A missing record (R4.4.13).
  public static func recordNotFound(_ name: RecordName) -> CloudError {
    CloudError(
      .unknownItem, "Record not found: \(name.text)", recordName: name.text)
  }

  /// A missing record of which a save or deletion named a version (R4.4.13).
  public static func versionNotFound(_ name: RecordName) -> CloudError {
    CloudError(
      .unknownItem, "recordChangeTag specified, but record not found", recordName: name.text)
  }

  /// A type that the schema does not know (R7.3.5).
  public static func typeNotFound(
    _ type: RecordType, among known: [RecordType] = []
  ) -> CloudError {
    CloudError(
      .unknownItem, "Did not find record type: \(type.text)",
      remedy: .nearest(to: type.text, among: known.map(\.text)))
  }

  /// A field that the type does not have; a system key may have been meant.
  public static func fieldNotFound(
    _ field: String, in type: RecordType, among known: [FieldSchema] = []
  ) -> CloudError {
    CloudError(
      .invalidArguments, "Did not find field: '\(field)' in type: '\(type.text)'",
      serverCode: 2015,
      remedy: known.isEmpty
        ? nil
        : .nearest(to: field, among: known.map(\.name.key) + SystemKey.allCases.map(\.rawValue)))
  }

  /// A part of the production schema that only a deployment changes (R1.2.3).
  public static func fixedInProduction(_ what: String) -> CloudError {
    CloudError(
      .invalidArguments, "\(what) cannot be changed in the production schema", serverCode: 2006,
      remedy: .changeInDevelopment)
  }

  /// A new type in production (R1.2.3).
  public static func newTypeInProduction(_ type: RecordType) -> CloudError {
    CloudError(
      .invalidArguments, "Cannot create new type \(type.text) in production schema",
      serverCode: 2006)
  }

  /// A new field in production (R1.2.3).
  public static func newFieldInProduction(
    _ field: FieldName, in type: RecordType
  ) -> CloudError {
    CloudError(
      .invalidArguments,
      "Cannot create or modify field '\(field.text)' in record '\(type.text)' in production schema",
      serverCode: 2006)
  }

  /// A new field with the name of a system key, which would hide it.
  public static func takenName(_ field: FieldName) -> CloudError {
    CloudError(
      .invalidArguments,
      "field name '\(field.text)' is reserved: every record has a property of that name",
      remedy: field.text == "recordName" ? .takeRecordName : .renameField(field))
  }

  /// An empty list for an unknown field (R3.4.4).
  public static func emptyListForNewField(
    _ field: FieldName, in type: RecordType
  ) -> CloudError {
    CloudError(
      .invalidArguments,
      "cannot use an empty list to initialize a new field "
        + "(field '\(field.text)' in record type '\(type.text)' should be more precise)",
      serverCode: 2006)
  }

  /// A value of another type than the field's (R3.4.6).
  public static func typeMismatch(
    _ given: FieldType, _ field: FieldName, in type: RecordType, expected: FieldType
  ) -> CloudError {
    CloudError(
      .invalidArguments,
      "invalid attempt to set value type \(given.valueTypeName) for field '\(field.text)' "
        + "for type '\(type.text)', defined to be: \(expected.valueTypeName)",
      serverCode: 2006)
  }

  /// An insert of an existing name (R4.1.5).
  public static func recordExists(server: Record, client: Record) -> CloudError {
    conflict("record to insert already exists", server, client)
  }

  /// An update of another version than the stored one (R4.1.5).
  public static func tagMismatch(server: Record, client: Record) -> CloudError {
    conflict("client oplock error updating record", server, client)
  }

  /// A change feed that does not exist (R9.9).
  public static func noFeed(_ place: String, zone: ZoneID?) -> CloudError {
    CloudError(
      .invalidArguments, "\(place) does not support fetching changes", zone: zone)
  }

  /// A token that is too old, or from another feed (R9.7).
  public static let tokenExpired = CloudError(
    .changeTokenExpired, "client knowledge differs from server knowledge",
    remedy: .fetchFromBeginning)

  /// A part of the schema that is in production: it stays forever, also in development (R1.2.6; the
  /// message is that for a record type, L4.2).
  public static func permanent(_ what: String, _ name: String? = nil) -> CloudError {
    CloudError(
      .invalidArguments,
      "invalid attempt to delete \(what) which is active in a production container"
        + (name.map { ": \($0)" } ?? ""), serverCode: 2006)
  }

  /// A field whose type cannot change (R1.2.10).
  public static func cannotBecome(
    _ field: FieldSchema, _ type: FieldType, in recordType: RecordType
  ) -> CloudError {
    CloudError(
      .invalidArguments,
      "field '\(field.name.text)' in type '\(recordType.text)' is \(field.type.schemaName) and "
        + "cannot be changed to \(type.schemaName)", serverCode: 2006)
  }

  /// Importing or validating a schema in production (L4.4).
  public static let notInProduction = CloudError(
    .serverRejectedRequest,
    "BadRequestException: endpoint not applicable in the environment 'production'",
    remedy: .importIntoDevelopment)

  /// A type that every schema has (R11.2.2).
  public static let managedType = CloudError(
    .invalidArguments, "invalid attempt to delete cloudkit managed record type",
    serverCode: 2006)

  /// A value for an encrypted field of a public record (R13.2).
  public static func encryptedInPublic(_ field: FieldName) -> CloudError {
    CloudError(
      .invalidArguments,
      "encrypted fields cannot be saved in the public database: '\(field.text)'",
      serverCode: 2006)
  }

  /// An operation that the user's role does not allow (R11.4.4): `CREATE`, `READ` or `WRITE`.
  public static func notPermitted(_ operation: String, _ name: RecordName?) -> CloudError {
    CloudError(
      .permissionFailure, "\(operation) operation not permitted",
      recordName: name?.text)
  }

  /// A query for users' records, which are fetched by their names (H:CKQuery).
  public static let queryForUsers = CloudError(
    .invalidArguments, "Can't query system types",
    remedy: .fetchUser)

  /// A zone that its user purged (R2.11).
  public static func userDeletedZone(_ zone: ZoneID) -> CloudError {
    CloudError(
      .userDeletedZone, "Zone was purged by user", zone: zone,
      remedy:
        "zone '\(zone.text)' and its records are gone: ask the user before you create it again"
    )
  }

  /// A zone that the database cannot have (R2.2), in CloudKit's words
  /// (https://github.com/pointfreeco/sqlite-data/pull/409).
  public static func zoneOfOtherDatabase(_ zone: ZoneID, _ scope: DatabaseScope) -> CloudError {
    scope == .shared
      ? CloudError(
        .invalidArguments, "Only shared zones can be accessed in the shared DB", zone: zone,
        remedy: .useDatabase(.private))
      : CloudError(
        .invalidArguments, "PrivateDB can't be used to access another user's zone", zone: zone,
        remedy: .useDatabase(.shared))
  }

  /// An item that failed because others of its atomic batch did (R4.4.6).
  public static let innocent = CloudError(
    .batchRequestFailed, "Atomic failure")

  /// Two items of an operation that name the same record (R4.2), `deletions` of which delete it.
  public static func sameRecordTwice(_ name: RecordName, deletions: Int) -> CloudError {
    let message =
      switch deletions {
      case 0: "You can't save the same record twice: \(name.text)"
      case 1: "You can't save and delete the same record (\(name.text)) in a single operation"
      default: "You can't delete the same record twice: \(name.text)"
      }
    return CloudError(.invalidArguments, message, recordName: name.text)
  }

  /// Too many items for one operation (R3.5.4).
  public static func tooManyItems(_ count: Int) -> CloudError {
    CloudError(
      .limitExceeded,
      "Your request contains \(count) items which is more than the maximum number of items in a "
        + "single request (\(Limits.operationItems))", serverCode: 1020,
      remedy: "split it in half, or use import, which has no such limit")
  }

  /// Too many bytes for one operation (R3.5.5).
  public static func operationTooLarge(_ size: Int) -> CloudError {
    CloudError(
      .limitExceeded,
      "the request has \(size) bytes; at most \(Limits.operationSize) are allowed",
      remedy: "split it in half, or use import, which has no such limit")
  }

  /// Too many deleteSelf references to one record (R5.14).
  public static func tooManyOwners(of target: RecordName, _ source: RecordName) -> CloudError {
    CloudError(
      .limitExceeded, "Limit exceeded for number of owning references to single record",
      recordName: source.text,
      remedy: "\(Limits.owners) records already refer to \(target.text) with deleteSelf")
  }

  /// A reference into another zone (R5.11).
  public static func foreignReference(
    _ field: String, to zone: ZoneID, of record: String?
  ) -> CloudError {
    CloudError(
      .invalidArguments,
      "'\(field)' refers to zone '\(zone.text)'; a reference and its target must be in one zone",
      recordName: record)
  }

  /// A missing parent, or a missing validated target (R5.1, R5.8).
  public static func missingTarget(
    _ target: RecordName, of source: RecordName, _ isParent: Bool
  ) -> CloudError {
    CloudError(
      .referenceViolation,
      "\(isParent ? "the parent" : "the validated target") '\(target.text)' does not exist",
      recordName: source.text)
  }

  /// A record whose parents would lead back to it (R5.16).
  public static func ownAncestor(_ name: RecordName) -> CloudError {
    CloudError(
      .invalidArguments, "A record cannot be its own parent, nor an ancestor of its parent",
      recordName: name.text)
  }

  /// A record that remaining records have as their parent, or validate (R5.1, R5.9); `root` is the
  /// record to be deleted, and the target with it. `source` is nil if the caller does not see it.
  public static func stillReferenced(
    _ target: RecordName, by source: RecordName?, isParent: Bool, root: RecordName
  ) -> CloudError {
    guard let source else {
      return CloudError(
        .referenceViolation, "other records still depend on the record", recordName: root.text)
    }
    let subject = target == root ? "the record" : "'\(target.text)', which would be deleted, too,"
    return CloudError(
      .referenceViolation,
      "\(subject) is still \(isParent ? "the parent of" : "validated by") '\(source.text)'",
      recordName: root.text,
      remedy: "delete both in one operation, or change the other record first")
  }

  private static func conflict(
    _ message: String, _ server: Record, _ client: Record
  ) -> CloudError {
    var error = CloudError(
      .serverRecordChanged, message, recordName: server.name.text)
    error.conflict = Conflict(server: server, client: client)
    return error
  }
}
