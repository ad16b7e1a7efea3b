internal import CloudModel
internal import FieldCodecs
internal import RecordStore

/// What a save needs of the schema: the values as the fields hold them, and what has to come
/// into being first. Nothing is changed before everything has been checked (R3.6.6).
struct FittedSave {
  /// The type's table; nil for a type that does not exist yet.
  var table: TypeTable?
  /// The values to set and to remove.
  var values: [(name: FieldName, value: FieldValue?)] = []
  /// Fields that the type does not have yet.
  var newFields: [FieldSchema] = []
}

/// The just-in-time schema (R3.6).
struct SchemaFitting {
  let environment: CloudEnvironment
  private var store: EnvironmentStore { environment.store }

  /// Checks a save against the schema. Throws `CloudError`.
  func fit(
    _ type: RecordType, _ assignments: [FieldAssignment], isPublic: Bool
  ) throws -> FittedSave {
    var fitted = FittedSave(table: try store.table(type))
    if fitted.table == nil, environment.environment == .production {
      throw CloudError.newTypeInProduction(type)
    }
    fitted.values.reserveCapacity(assignments.count)
    for assignment in assignments {
      try fit(assignment, type, isPublic: isPublic, into: &fitted)
    }
    return fitted
  }

  private func fit(
    _ assignment: FieldAssignment, _ type: RecordType, isPublic: Bool,
    into fitted: inout FittedSave
  ) throws {
    let name = assignment.name
    if let field = fitted.table?.field(name) {
      if isPublic, field.type.isEncrypted, assignment.value != nil {
        throw CloudError.encryptedInPublic(name)
      }
      let value = try fit(assignment, to: field.type, in: type)
      fitted.values.append((name, value))
      return
    }
    guard assignment.value != nil || assignment.type != nil else {
      // Removing what was never there changes nothing, but names no field of production (R3.4.5).
      if environment.environment == .production {
        throw CloudError.newFieldInProduction(name, in: type)
      }
      return
    }
    let field = try newField(
      name, of: type, for: assignment.value, written: assignment.type, isPublic: isPublic)
    fitted.newFields.append(field)
    fitted.values.append((name, try fit(assignment, to: field.type, in: type)))
  }

  /// The field that a value makes (R3.6), or the type that is written with it. Throws
  /// `invalidArguments` where there can be none: in production (R3.4.5), of a name that is taken,
  /// for a value that has no type, for a secret in the public database.
  func newField(
    _ name: FieldName, of type: RecordType, for value: FieldValue?, written: FieldType?,
    isPublic: Bool
  ) throws(CloudError) -> FieldSchema {
    guard environment.environment == .development else {
      throw .newFieldInProduction(name, in: type)
    }
    if name.isTaken { throw .takenName(name) }
    var fieldType = written ?? FieldType(.string)
    if written == nil, let value {
      fieldType = try value.withUniformNumbers.typeOfNewField(name, in: type)
    }
    if fieldType.isEncrypted, isPublic { throw .encryptedInPublic(name) }
    return FieldSchema(name: name, type: fieldType, indexes: fieldType.newFieldIndexes)
  }

  private func fit(
    _ assignment: FieldAssignment, to type: FieldType, in recordType: RecordType
  ) throws(CloudError) -> FieldValue? {
    if let given = assignment.type, !type.accepts(written: given) {
      throw .typeMismatch(given, assignment.name, in: recordType, expected: type)
    }
    guard let value = assignment.value else { return nil }
    let isReadAgain = assignment.isPlain && assignment.type == nil
    guard let fitted = value.fitted(to: type) ?? (isReadAgain ? value.reread(as: type) : nil)
    else {
      throw .typeMismatch(
        value.type ?? FieldType(.string, isList: true), assignment.name, in: recordType,
        expected: type)
    }
    return fitted
  }

  /// Brings into being what a checked save needs; returns the type's table.
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
