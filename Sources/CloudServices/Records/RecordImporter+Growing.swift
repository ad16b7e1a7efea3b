internal import CloudModel
internal import RecordStore

/// Types and fields that an import creates.
extension RecordImporter {
  /// Allows prepared rows of a type, which are inserted without checking each record.
  func publish(_ table: TypeTable) throws {
    guard try database.permissions.allowAnyRecord(of: table.schema) else { return }
    layouts.publish(table.schema.name, table.layout)
  }

  func grow(_ type: RecordType) throws -> TypeTable {
    // So many new types cannot be misspellings.
    let others = state.madeTypes.count < Self.mostSuggestions ? try store.types() : []
    transaction.note(.newType(type, among: others))
    let table = try store.addType(type)
    state.madeTypes.insert(type)
    tables[type.text] = table
    return table
  }

  private static let mostSuggestions = 20

  /// Creates a field that its type does not have yet.
  func meet(
    _ field: RecordDraft.Field, _ type: RecordType, _ table: inout TypeTable?
  ) throws {
    if table?.place(of: field.name) != nil { return }
    if field.value != nil { return try addField(field, type, &table) }
    do throws(CloudError) { try fitting.checkRemoval(of: field.name, in: type) } catch {
      throw PlacedFaults(error, at: field.position)
    }
  }

  private func addField(
    _ field: RecordDraft.Field, _ type: RecordType, _ table: inout TypeTable?
  ) throws {
    do {
      let new = try fitting.newField(
        FieldName(field.name.text), of: type, for: field.value, written: field.type)
      let grown: TypeTable
      if let table { grown = table } else { grown = try grow(type) }
      table = grown
      if !state.madeTypes.contains(type) {
        transaction.note(.newField(new.name, of: grown.schema))
      }
      try store.addField(new, to: grown)
      state.decisions[type.text, default: [:]][new.name] = (new.type, field.position)
      try publish(grown)
    } catch let error as CloudError {
      throw PlacedFaults(error, at: field.position)
    }
  }
}
