internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import FieldCodecs
internal import WireFormat

/// A field assignment as typed (M3), before the schema is applied.
struct TypedAssignment: Sendable {
  let field: String
  let source: Source

  /// The part after the field's name.
  enum Source: Sendable {
    /// `=text`, parsed by the field's type.
    case text(String)
    /// `:=json`.
    case json(String)
    /// `:type=text`.
    case typed(FieldType, String)
    /// `@file`.
    case asset(String)
    /// `:list<asset>@file,file`.
    case assets([String])
    /// `:bytes@file`.
    case bytes(String)
  }

  /// Parses a word. Throws `ValueError` if it is not an assignment.
  init(_ word: String) throws(ValueError) {
    let name = word.utf8.prefix { $0.isIdentifierByte }
    field = String(decoding: name, as: UTF8.self)
    let rest = String(decoding: word.utf8.dropFirst(name.count), as: UTF8.self)
    guard !field.isEmpty, let mark = rest.unicodeScalars.first else { throw Self.malformed(word) }
    let after = String(rest.unicodeScalars.dropFirst())
    switch mark {
    case "=": source = .text(after)
    case "@": source = .asset(after)
    case ":": source = try Self.typed(after, word)
    default: throw Self.malformed(word)
    }
  }

  private static func typed(_ text: String, _ word: String) throws(ValueError) -> Source {
    if text.hasPrefix("=") { return .json(String(text.dropFirst())) }
    guard let mark = text.firstIndex(where: { $0 == "=" || $0 == "@" }) else {
      throw malformed(word)
    }
    let name = String(text[..<mark])
    let value = String(text[text.index(after: mark)...])
    guard let type = FieldType(schemaName: name) else {
      let words = FieldType.Base.allCases.map { $0.rawValue.lowercased() }
      let nearest = Suggestion.nearest(to: name, among: words)
      throw ValueError(
        "unknown type '\(name.visible)' in '\(word.visible)'",
        hint: nearest.map { "did you mean \($0)?" }
          ?? "types are \(words.joined(separator: ", ")), list<TYPE> and encrypted<TYPE>")
    }
    if text[mark] == "=" { return .typed(type, value) }
    switch type {
    case FieldType(.bytes): return .bytes(value)
    case FieldType(.asset): return .asset(value)
    case FieldType(.asset, isList: true):
      return .assets(value.split(separator: ",").map(String.init))
    default: throw malformed(word)
    }
  }

  private static func malformed(_ word: String) -> ValueError {
    ValueError(
      "'\(word.visible)' is not a field assignment",
      hint: "write field=text, field:=JSON, field:type=value or field@file")
  }
}

extension ValueKind where Value == TypedAssignment {
  /// A field assignment.
  static let assignment = ValueKind<TypedAssignment>(
    "FIELD=VALUE", candidates: .question("assignments")
  ) { (word) throws(ValueError) in try TypedAssignment(word) }
}

/// Converts typed assignments to values by a record type's schema.
struct AssignmentReader {
  let context: Context
  let environment: CloudEnvironment
  let type: RecordType
  let schema: RecordTypeSchema?

  /// Reads all assignments. If one fails, the assets staged for earlier ones are discarded.
  func read(_ assignments: [TypedAssignment]) throws -> [FieldAssignment] {
    var fields: [FieldAssignment] = []
    do {
      for assignment in assignments {
        let field = try read(assignment)
        fields.append(field)
        guard !fields.dropLast().contains(where: { $0.name == field.name }) else {
          throw CommandError("the field \(field.name.text) is given twice", .usage)
        }
      }
    } catch {
      environment.discard(fields)
      throw error
    }
    return fields
  }

  private func read(_ assignment: TypedAssignment) throws -> FieldAssignment {
    let name = try FieldName(assignment.field)
    let known = schema?.field(name.text)?.type
    switch assignment.source {
    case .text(let text): return try FieldAssignment(name, value(text, name, known))
    case .typed(let type, let text):
      return try FieldAssignment(name, value(text, name, type), type: type)
    case .json(let text): return try json(text, name, known)
    case .asset(let path):
      let staged = try context.stage(path, in: environment)
      return FieldAssignment(
        name, .asset(staged.asset), type: FieldType(.asset), staged: [staged])
    case .assets(let paths): return try assets(paths, name)
    case .bytes(let path):
      let bytes =
        path == "-"
        ? try FileSystem.contents(of: context.surroundings.input)
        : try FileSystem.contents(of: path)
      return FieldAssignment(name, .bytes(bytes), type: FieldType(.bytes))
    }
  }

  private func assets(_ paths: [String], _ name: FieldName) throws -> FieldAssignment {
    var staged: [StagedAsset] = []
    do {
      for path in paths { staged.append(try context.stage(path, in: environment)) }
    } catch {
      staged.forEach(environment.discard)
      throw error
    }
    return FieldAssignment(
      name, .list(staged.map { .asset($0.asset) }), type: FieldType(.asset, isList: true),
      staged: staged)
  }

  /// Converts text to a value of a type; a new field becomes a string.
  private func value(
    _ text: String, _ name: FieldName, _ type: FieldType?
  ) throws -> FieldValue {
    guard let type else { return .string(text) }
    if type.isList { return try list(text, name, type) }
    if type.base == .asset {
      throw CommandError(
        "\(name.text) is an asset", .data, hint: "set it from a file with \(name.text)@FILE")
    }
    if type.base == .reference { return try reference(text, name) }
    guard let value = FieldValue(text: text, as: type.base) else {
      throw mismatch(FieldType(.string), name, type, given: text)
    }
    return value
  }

  /// `name`, or with an action after a comma: `name,delete`.
  private func reference(_ text: String, _ name: FieldName) throws -> FieldValue {
    guard let (target, action) = Reference.Action.behindComma(of: text) else {
      return .reference(Reference(try RecordName(text)))
    }
    return .reference(Reference(try RecordName(target), action: action))
  }

  private func list(_ text: String, _ name: FieldName, _ type: FieldType) throws -> FieldValue {
    let value: JSONValue
    do { value = try JSONParser.parse(text) } catch {
      throw jsonError(error, text, name)
    }
    guard case .array(let items) = value else {
      throw mismatch(FieldType(.string), name, type, given: text)
    }
    return .list(
      try items.map { item in
        if type.base == .reference, case .string(let target) = item {
          return try reference(target, name)
        }
        guard let member = try reading(item, as: FieldType(type.base), name, given: text) else {
          throw mismatch(FieldType(.string), name, type, given: text)
        }
        return member
      })
  }

  private func json(
    _ text: String, _ name: FieldName, _ known: FieldType?
  ) throws -> FieldAssignment {
    let json: JSONValue
    do { json = try JSONParser.parse(text) } catch { throw jsonError(error, text, name) }
    do {
      let reading = try PlainJSONReader.read(json)
      guard reading.type == nil, let known, let value = reading.value else {
        return FieldAssignment(name, reading.value, type: reading.type)
      }
      return FieldAssignment(name, value.reread(as: known) ?? value)
    } catch {
      throw CommandError("\(name.text): \(error.message)", .data)
    }
  }

  private func reading(
    _ json: JSONValue, as type: FieldType, _ name: FieldName, given: String
  ) throws -> FieldValue? {
    do { return try PlainJSONReader.value(json, as: type) } catch {
      throw mismatch(FieldType(.string), name, FieldType(type.base, isList: true), given: given)
    }
  }

  private func jsonError(_ error: JSONError, _ text: String, _ name: FieldName) -> CommandError {
    var failure = CommandError("\(name.text): \(error.message)", .data)
    failure.caret = CommandError.Caret(text: text, span: error.offset..<error.offset + 1)
    return failure
  }

  private func mismatch(
    _ found: FieldType, _ name: FieldName, _ expected: FieldType, given: String
  ) -> CloudError {
    var error = CloudError.typeMismatch(found, name, in: type, expected: expected)
    error.remedy =
      "\(name.text): expected \(expected.schemaName), found '\(given.truncated(toColumns: 60))'"
    return error
  }
}
