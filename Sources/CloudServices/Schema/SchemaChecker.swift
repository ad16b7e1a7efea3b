internal import Basics
public import CloudModel
internal import PredicateLanguage

/// Something that production would refuse from an app.
public struct SchemaFault: Sendable {
  /// The kind of fault.
  public enum Code: String, Sendable {
    case missingType = "missing-type"
    case missingField = "missing-field"
    case wrongType = "wrong-type"
    /// Fields for large values, without which Core Data cannot save them; a warning.
    case missingCompanion = "missing-companion"
    /// Fields that Core Data needs to share an object; a warning.
    case missingMoveReceipt = "missing-move-receipt"
    case missingIndex = "missing-index"
    case query
    /// Something that is not a record or query.
    case unreadable
  }

  /// The kind of fault.
  public let code: Code
  /// The file, or the name of a schema.
  public let source: String
  /// The first position in the file; nil if it has no position.
  public let position: TextPosition?
  /// The record type.
  public let type: String
  /// The field; nil for a fault of a whole type.
  public let field: String?
  /// The message, without a final period.
  public let message: String
  /// The remedy.
  public let remedy: Remedy?
  /// The missing declaration in the schema language; nil if nothing can be added.
  public var missing: String?
  /// How often it occurs.
  public var count = 1

  /// Whether an app may never need what is missing.
  public var isWarning: Bool { code == .missingCompanion || code == .missingMoveReceipt }

  /// How many more times it occurs, in parentheses; empty for once.
  public var repetition: String { count > 1 ? " (and \(count - 1) more)" : "" }
}

/// Checks that a schema, usually production's, covers everything that records, other schemas and
/// queries use (R1.2.3, R7.3).
///
/// The same fault is reported once, at its first position.
public struct SchemaChecker {
  let targetName: String
  private let types: [String: CheckedType]
  private var places: [String: Int] = [:]
  /// The missing types and fields that were used, by their paths.
  private var used: [String: FieldSchema] = [:]
  private var all: [SchemaFault] = []

  /// A type of the target with its fields by name.
  private struct CheckedType {
    let schema: RecordTypeSchema
    let fields: [String: FieldType]
  }

  /// Creates a checker for a schema; the name is used in messages.
  public init(_ target: Schema, named name: String) {
    var target = target
    if target.type(RecordType.users.text) == nil {
      let roles = FieldSchema(name: .roles, type: .ofRoles, indexes: [])
      target.types.append(RecordTypeSchema(name: .users, fields: [roles], grants: .ofUsers))
    }
    targetName = name
    types = Dictionary(
      uniqueKeysWithValues: target.types.map { type in
        let fields = type.fields.map { ($0.name.text, $0.type) }
        return (
          type.name.text,
          CheckedType(schema: type, fields: Dictionary(uniqueKeysWithValues: fields))
        )
      })
  }

  // MARK: Checking

  /// Checks a record; one without a type has `defaultType`.
  public mutating func check(_ draft: RecordDraft, defaultType: String?, in file: String) {
    guard let type = draft.type ?? defaultType else {
      return note(
        .unreadable, file, draft.position, "", nil, "the record has no recordType")
    }
    guard let known = types[type] else {
      noteMissing(type, file, draft.position)
      for field in draft.fields { noteUse(field, of: type) }
      return
    }
    // A field without a value is not created: a table may have empty cells for other types' fields.
    for field in draft.fields where field.value != nil {
      guard let expected = known.fields[field.name.text] else {
        noteUse(field, of: type)
        noteMissing(field.name.text, of: type, file, field.position)
        continue
      }
      guard let value = field.value, !value.isHeld(by: expected, as: field.type) else { continue }
      let mismatch = value.mismatch(
        field.name, in: known.schema.name, expected: expected, written: field.type)
      note(.wrongType, file, field.position, type, field.name.text, mismatch.message)
    }
  }

  /// Checks the types and fields of another schema, except CloudKit's own.
  public mutating func check(_ schema: Schema, in source: String) {
    for type in schema.types {
      guard hasType(type.name) else {
        noteMissing(type, in: source, at: nil)
        continue
      }
      for field in type.fields { check(field, of: type.name, in: source, at: nil) }
    }
  }

  /// Checks that a type of the target has a field.
  mutating func check(
    _ field: FieldSchema, of type: RecordType, in source: String, at position: TextPosition?
  ) {
    let name = field.name.text
    guard let expected = types[type.text]?.fields[name] else {
      used["\(type.text).\(name)"] = field
      return noteMissing(name, of: type.text, source, position)
    }
    if expected == field.type { return }
    note(
      .wrongType, source, position, type.text, name,
      "field '\(name)' in type '\(type.text)' is \(field.type.schemaName), but "
        + "\(expected.schemaName) in \(targetName)")
  }

  func hasType(_ type: RecordType) -> Bool { types[type.text] != nil }

  func hasField(_ field: FieldName, of type: RecordType) -> Bool {
    types[type.text]?.fields[field.text] != nil
  }

  func hasIndexes(_ indexes: FieldIndexes, _ key: SystemKey, of type: RecordType) -> Bool {
    types[type.text]?.schema.systemIndexes[key]?.isSuperset(of: indexes) ?? false
  }

  /// Notes a type that the target does not have, with its fields.
  mutating func noteMissing(
    _ type: RecordTypeSchema, in source: String, at position: TextPosition?
  ) {
    noteMissing(type.name.text, source, position)
    for field in type.fields + type.indexedSystemFields {
      used["\(type.name.text).\(field.name.text)"] = field
    }
  }

  /// Checks a query whose predicate begins at a position of a file.
  public mutating func check(
    _ type: String, _ text: String, in file: String, at position: TextPosition
  ) {
    guard let known = types[type] else { return noteMissing(type, file, position) }
    func place(_ span: Span?) -> TextPosition {
      let before = String(decoding: text.utf8.prefix(span?.lowerBound ?? 0), as: UTF8.self)
      return TextPosition(
        line: position.line, column: position.column + before.unicodeScalars.count)
    }
    let predicate: Predicate
    do throws(PredicateError) { predicate = try PredicateParser.parse(text) } catch {
      return note(.unreadable, file, place(error.span), type, nil, error.message)
    }
    predicate.visit { expression in
      guard case .key(let key, let span) = expression, known.fields[key] == nil,
        SystemKey(key) == nil
      else { return }
      noteMissing(key, of: type, file, place(span))
    }
    for finding in QueryChecker.findings(predicate, schema: known.schema)
    where finding.severity == .error {
      note(
        .query, file, place(finding.span), type, nil, finding.message, remedy: finding.remedy)
    }
  }

  /// Notes text that could not be read.
  public mutating func note(unreadable message: String, in file: String, at position: TextPosition)
  {
    note(.unreadable, file, position, "", nil, message)
  }

  // MARK: Faults

  /// The faults, in the order they were found; warnings are last.
  public func faults() -> [SchemaFault] {
    (all.filter { !$0.isWarning } + all.filter(\.isWarning)).map { fault in
      var fault = fault
      switch fault.code {
      case .missingField:
        fault.missing = fault.field.flatMap { used["\(fault.type).\($0)"] }?.schemaLine()
      case .missingType: fault.missing = statement(fault.type)
      case .wrongType, .query, .unreadable, .missingCompanion, .missingMoveReceipt, .missingIndex:
        break
      }
      return fault
    }
  }

  /// The statement that creates a missing type with all the fields used.
  private func statement(_ type: String) -> String {
    let fields = used.filter { $0.key.hasPrefix(type + ".") }.values
      .sorted { utf8Precedes($0.name.text, $1.name.text) }
    // A type needs at least one item, and is useless in the public database without grants.
    let lines =
      fields.map { $0.schemaLine() }
      + Grants.ofNewType.entries.map { $0.role.schemaGrant(of: $0.permissions) }
    return "RECORD TYPE \(type.schemaIdentifier) (\(lines.joined(separator: ", ")));"
  }

  /// Notes the type that a missing field needs, as a save in development would create it.
  private mutating func noteUse(_ field: RecordDraft.Field, of type: String) {
    guard let value = field.value, let found = field.type ?? value.withUniformNumbers.type else {
      return
    }
    let path = "\(type).\(field.name.text)"
    guard let known = used[path] else {
      used[path] = FieldSchema(name: field.name, type: found, indexes: found.newFieldIndexes)
      return
    }
    if known.type == FieldType(.int64), found == FieldType(.double) { used[path]?.type = found }
  }

  private mutating func noteMissing(_ type: String, _ source: String, _ position: TextPosition?) {
    note(
      .missingType, source, position, type, nil, "record type '\(type)' is not in \(targetName)",
      remedy: .nearest(to: type, among: types.keys.sorted(by: utf8Precedes)))
  }

  private mutating func noteMissing(
    _ field: String, of type: String, _ source: String, _ position: TextPosition?
  ) {
    note(
      .missingField, source, position, type, field,
      "field '\(field)' of record type '\(type)' is not in \(targetName)",
      remedy: .nearest(
        to: field, among: (types[type]?.fields.keys.sorted(by: utf8Precedes) ?? [])))
  }

  mutating func note(
    _ code: SchemaFault.Code, _ source: String, _ position: TextPosition?, _ type: String,
    _ field: String?, _ message: String, remedy: Remedy? = nil, missing: String? = nil
  ) {
    // Unreadable texts and faults of queries are reported at each position, others once.
    let isEverywhere = code == .unreadable || code == .query
    let key =
      isEverywhere
      ? "\(source):\(position?.text ?? ""):\(message)" : "\(code) \(type).\(field ?? "") \(message)"
    if let place = places[key] {
      all[place].count += 1
      return
    }
    places[key] = all.count
    all.append(
      SchemaFault(
        code: code, source: source, position: position, type: type, field: field,
        message: message, remedy: remedy, missing: missing))
  }
}
