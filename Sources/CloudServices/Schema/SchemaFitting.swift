internal import CloudModel
internal import FieldCodecs
internal import RecordStore

/// The values of a save, converted to the fields, and the fields to create. Nothing is changed
/// before everything has been checked (R3.6.6).
struct FittedSave {
  /// The type's table; nil for a type that does not exist yet.
  var table: TypeTable?
  /// The values to set and to remove.
  var values: [(name: FieldName, value: FieldValue?)] = []
  /// Fields that the type does not have yet.
  var newFields: [FieldSchema] = []
}

/// The schema rules of saves and imports: what must exist, and which fields a value creates (R3.4,
/// R3.6).
struct SchemaFitting {
  let database: CloudDatabase
  private var store: EnvironmentStore { database.store }
  private var isProduction: Bool { database.environment.environment == .production }

  /// Checks a save against the schema. Throws `CloudError`.
  func fit(_ type: RecordType, _ assignments: [FieldAssignment]) throws -> FittedSave {
    var fitted = FittedSave(table: try table(type))
    fitted.values.reserveCapacity(assignments.count)
    for assignment in assignments { try fit(assignment, type, into: &fitted) }
    return fitted
  }

  /// A type's table; nil for a type that a save creates. Throws `invalidArguments` for a type that
  /// production does not have (R3.4.5).
  func table(_ type: RecordType) throws -> TypeTable? {
    if let table = try store.table(type) { return table }
    if isProduction { throw CloudError.newTypeInProduction(type) }
    return nil
  }

  private func fit(
    _ assignment: FieldAssignment, _ type: RecordType, into fitted: inout FittedSave
  ) throws {
    let name = assignment.name
    if let field = fitted.table?.field(name) {
      if assignment.value != nil { try checkEncryption(of: field.type, name) }
      let value = try fit(assignment, to: field.type, in: type)
      fitted.values.append((name, value))
      return
    }
    guard assignment.value != nil || assignment.type != nil else {
      return try checkRemoval(of: name, in: type)
    }
    let field = try newField(name, of: type, for: assignment.value, written: assignment.type)
    fitted.newFields.append(field)
    fitted.values.append((name, try fit(assignment, to: field.type, in: type)))
  }

  /// Returns the field that a value creates (R3.6), or that its written type does. Throws
  /// `invalidArguments` if that is not allowed: in production (R3.4.5), for a reserved name, for a
  /// value without a type, for an encrypted field in the public database.
  func newField(
    _ name: FieldName, of type: RecordType, for value: FieldValue?, written: FieldType?
  ) throws(CloudError) -> FieldSchema {
    if isProduction { throw .newFieldInProduction(name, in: type) }
    if name.isTaken { throw .takenName(name) }
    var fieldType = written ?? FieldType(.string)
    if written == nil, let value {
      fieldType = try value.withUniformNumbers.typeOfNewField(name, in: type)
    }
    try checkEncryption(of: fieldType, name)
    return FieldSchema(name: name, type: fieldType, indexes: fieldType.newFieldIndexes)
  }

  /// Checks the removal of an unknown field, which has no effect but is an error in production.
  /// Throws `invalidArguments` (R3.4.5).
  func checkRemoval(of field: FieldName, in type: RecordType) throws(CloudError) {
    if isProduction { throw .newFieldInProduction(field, in: type) }
  }

  /// Throws `invalidArguments` for a value of an encrypted field in the public database.
  func checkEncryption(of type: FieldType, _ field: FieldName) throws(CloudError) {
    if type.isEncrypted, database.scope == .public { throw .encryptedInPublic(field) }
  }

  private func fit(
    _ assignment: FieldAssignment, to type: FieldType, in recordType: RecordType
  ) throws(CloudError) -> FieldValue? {
    guard let value = assignment.value else {
      if let written = assignment.type, !type.accepts(written: written) {
        throw .typeMismatch(written, assignment.name, in: recordType, expected: type)
      }
      return nil
    }
    let rereads = assignment.isPlain && assignment.type == nil
    if let held = value.held(by: type, as: assignment.type, rereads: rereads) { return held }
    throw value.mismatch(
      assignment.name, in: recordType, expected: type, written: assignment.type)
  }

  /// Creates the type and fields that a checked save needs; returns the type's table.
  func grow(
    _ fitted: FittedSave, _ type: RecordType, _ transaction: WriteTransaction
  ) throws -> TypeTable {
    let table: TypeTable
    if let known = fitted.table {
      table = known
    } else {
      transaction.note(.newType(type, among: try store.types()))
      table = try store.addType(type)
    }
    for field in fitted.newFields {
      if fitted.table != nil {
        transaction.note(.newField(field.name, of: table.schema))
      }
      try store.addField(field, to: table)
    }
    return table
  }
}
