internal import CloudModel

extension SchemaChecker {
  /// Checks that the schema has all that the mirror of a model needs. What only some ways of making
  /// a schema create is a warning: the companions of large values, and move receipts. With
  /// `isPublic` the indexes of the public database are needed, too.
  public mutating func check(_ mirror: MirroredModel, isPublic: Bool = false, in source: String) {
    let mirrored = Dictionary(
      mirror.types.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for type in mirror.schema(.initialize, isPublic: isPublic).types where !type.name.isManaged {
      let position = mirrored[type.name]?.position
      guard hasType(type.name) else {
        noteMissing(type, in: source, at: position)
        continue
      }
      let purposes = Dictionary(
        (mirrored[type.name]?.fields ?? []).map { ($0.schema.name, $0) },
        uniquingKeysWith: { first, _ in first })
      var optional: [MirroredField.Purpose: [FieldSchema]] = [:]
      for field in type.fields {
        let known = purposes[field.name]
        guard let known, known.isCreatedOnDemand, !hasField(field.name, of: type.name) else {
          check(field, of: type.name, in: source, at: known?.position ?? position)
          continue
        }
        optional[known.purpose, default: []].append(field)
      }
      for purpose in [MirroredField.Purpose.companion, .moveReceipt] {
        guard let fields = optional[purpose] else { continue }
        noteMissing(fields, for: purpose, of: type.name, in: source, at: position)
      }
      if isPublic { checkIndexes(of: type, in: source, at: position) }
    }
  }

  /// Notes fields that an app may never need, as one warning for a type.
  private mutating func noteMissing(
    _ fields: [FieldSchema], for purpose: MirroredField.Purpose, of type: RecordType,
    in source: String, at position: TextPosition?
  ) {
    let names = fields.map(\.name.text).joined(separator: ", ")
    let lack = "record type '\(type.text)' in \(targetName) lacks \(names)"
    let lines = fields.map { $0.schemaLine() }.joined(separator: ", ")
    if purpose == .companion {
      note(
        .missingCompanion, source, position, type.text, nil,
        "\(lack): a record of more than \(Limits.mirroredRecordSize) bytes cannot be saved",
        missing: lines)
    } else {
      note(
        .missingMoveReceipt, source, position, type.text, nil,
        "\(lack): an object cannot be moved to a share", missing: lines)
    }
  }

  private mutating func checkIndexes(
    of type: RecordTypeSchema, in source: String, at position: TextPosition?
  ) {
    for field in type.indexedSystemFields {
      guard let key = SystemKey(field.name.text), !hasIndexes(field.indexes, key, of: type.name)
      else { continue }
      note(
        .missingIndex, source, position, type.name.text, field.name.text,
        "\(key.rawValue) of record type '\(type.name.text)' is not QUERYABLE in \(targetName): "
          + "Core Data cannot fetch its records from the public database",
        missing: field.schemaLine())
    }
  }
}
