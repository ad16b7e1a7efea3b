internal import Basics
public import CloudModel

/// Parses schema files (L1 and L2).
///
/// Everything may be in any order. System fields may be omitted and exist anyway, but only with the
/// indexes in the text.
public struct SchemaParser {
  private let tokens: [SchemaToken]
  private var index = 0
  private var roles: [SecurityRole] = []
  private var types: [RecordTypeSchema] = []
  /// Roles with grants, each with the token of its first grant.
  private var granted: [(role: SecurityRole, token: SchemaToken)] = []

  /// Parses a text. Throws `SchemaError` for the first error.
  public static func parse(_ text: String) throws(SchemaError) -> Schema {
    var parser = SchemaParser(tokens: try SchemaLexer.tokens(text))
    return try parser.schema()
  }

  private init(tokens: [SchemaToken]) { self.tokens = tokens }

  // MARK: Statements

  private mutating func schema() throws(SchemaError) -> Schema {
    try take("DEFINE")
    try take("SCHEMA")
    while token.kind != .end {
      switch token.keyword {
      case "CREATE": try role()
      case "RECORD": try recordType()
      default: throw unexpected(["\"CREATE\"", "\"RECORD\"", "<EOF>"])
      }
      try take(";")
    }
    for (role, token) in granted where !role.isImplicit && !roles.contains(role) {
      throw SchemaError(
        "role '\(role.name)' has grants but is not created", at: token.position,
        token.span, remedy: "create it with CREATE ROLE")
    }
    return Schema(roles: roles, types: types)
  }

  private mutating func role() throws(SchemaError) {
    index += 1
    try take("ROLE")
    let token = token
    let name = try name()
    let role = try checked(token) { () throws(CloudError) in try SecurityRole(custom: name) }
    guard !roles.contains(role) else {
      throw fault("role '\(name)' is created twice", token)
    }
    roles.append(role)
  }

  private mutating func recordType() throws(SchemaError) {
    index += 1
    try take("TYPE")
    let token = token
    let name = try name()
    let type = try checked(token) { () throws(CloudError) in try RecordType(schemaName: name) }
    guard !types.contains(where: { $0.name == type }) else {
      throw fault("record type '\(name)' is defined twice", token)
    }
    var made = TypeDraft(type)
    try take("(")
    repeat {
      if self.token.keyword == "GRANT" { try grant(&made) } else { try field(&made) }
    } while try separator(",", or: ")")
    made.schema.fields.sort { utf8Precedes($0.name.text, $1.name.text) }
    types.append(made.schema)
  }

  /// Takes a separator or the end of the list; returns false for the end.
  private mutating func separator(
    _ symbol: Character, or end: Character, before others: [String] = []
  ) throws(SchemaError) -> Bool {
    defer { index += 1 }
    switch token.kind {
    case .symbol(symbol): return true
    case .symbol(end): return false
    case .word, .quoted, .symbol, .end:
      throw unexpected(others + ["\"\(symbol)\"", "\"\(end)\""])
    }
  }

  // MARK: Items

  private mutating func grant(_ type: inout TypeDraft) throws(SchemaError) {
    index += 1
    var permissions: Permissions = []
    while true {
      guard let permission = token.keyword.flatMap({ Permissions(word: $0) }) else {
        throw unexpected(["\"READ\"", "\"CREATE\"", "\"WRITE\""])
      }
      permissions.insert(permission)
      index += 1
      if token.kind != .symbol(",") { break }
      index += 1
    }
    guard token.keyword == "TO" else { throw unexpected(["\",\"", "\"TO\""]) }
    index += 1
    let token = token
    let name = try name()
    let role: SecurityRole
    if name.hasPrefix("_") {
      role = SecurityRole(stored: name)
      guard role.isImplicit else {
        throw fault(
          "no role '\(name)'", token, remedy: "system roles are _world, _icloud, _creator"
        )
      }
    } else {
      role = try checked(token) { () throws(CloudError) in try SecurityRole(custom: name) }
    }
    if !granted.contains(where: { $0.role == role }) { granted.append((role, token)) }
    // Repeated grants add up.
    type.schema.grants[role].formUnion(permissions)
  }

  private mutating func field(_ type: inout TypeDraft) throws(SchemaError) {
    let token = token
    let name = try name(others: ["\"GRANT\""])
    let key = name.hasPrefix("_") ? SystemKey(name) : nil
    let isKnown = key?.schemaName == name
    let field =
      try isKnown
      ? FieldName(stored: name)
      : checked(token) { () throws(CloudError) in try FieldName(schemaName: name) }
    guard type.fields.insert(name).inserted else {
      throw fault("field '\(name)' in type '\(type.schema.name.text)' is defined twice", token)
    }
    let typeToken = self.token
    let fieldType = try fieldType()
    if let key, isKnown {
      guard fieldType == key.type else {
        throw fault("system field '\(name)' must be \(key.type.schemaName)", typeToken)
      }
      let indexes = try indexes(allowed: [.queryable, .sortable], name, fieldType)
      if !indexes.isEmpty { type.schema.systemIndexes[key] = indexes }
      return
    }
    let indexes = try indexes(allowed: fieldType.allowedIndexes, name, fieldType)
    type.schema.fields.append(FieldSchema(name: field, type: fieldType, indexes: indexes))
  }

  private mutating func indexes(
    allowed: FieldIndexes, _ name: String, _ type: FieldType
  ) throws(SchemaError) -> FieldIndexes {
    var indexes: FieldIndexes = []
    while let word = token.keyword, let index = FieldIndexes(word: word) {
      guard indexes.isDisjoint(with: index) else { throw fault("\(word) appears twice", token) }
      guard allowed.contains(index) else {
        throw fault("field '\(name)' is \(type.schemaName) and cannot be \(word)", token)
      }
      indexes.formUnion(index)
      self.index += 1
    }
    switch token.kind {
    case .symbol(","), .symbol(")"): return indexes
    case .word, .quoted, .symbol, .end:
      throw unexpected(["\"QUERYABLE\"", "\"SEARCHABLE\"", "\"SORTABLE\"", "\",\"", "\")\""])
    }
  }

  // MARK: Field types

  private mutating func fieldType() throws(SchemaError) -> FieldType {
    guard token.keyword == "LIST" else { return try primitive(others: ["\"LIST\""]) }
    index += 1
    try take("<")
    var type = try primitive()
    try take(">")
    type.isList = true
    return type
  }

  private mutating func primitive(others: [String] = []) throws(SchemaError) -> FieldType {
    let bases = FieldType.Base.allCases
    let others = others + ["\"ENCRYPTED\""]
    guard let word = token.keyword else { throw unexpectedType(bases, others) }
    if word == "ENCRYPTED" {
      index += 1
      let allowed = bases.filter(FieldType.canEncrypt)
      guard let base = base(allowed) else { throw unexpectedType(allowed, []) }
      return FieldType(base, isEncrypted: true)
    }
    guard let base = base(bases) else {
      throw unexpectedType(bases, others)
    }
    guard base == .number, token.keyword == "PREFERRED" else { return FieldType(base) }
    index += 1
    try take("AS")
    guard let preference = token.keyword.flatMap({ FieldType.NumberPreference(rawValue: $0) })
    else { throw unexpected(["\"INT64\"", "\"DOUBLE\""]) }
    index += 1
    return FieldType(.number, preference: preference)
  }

  private mutating func base(_ allowed: [FieldType.Base]) -> FieldType.Base? {
    guard let base = allowed.first(where: { $0.rawValue == token.keyword }) else { return nil }
    index += 1
    return base
  }

  private func unexpectedType(_ bases: [FieldType.Base], _ others: [String]) -> SchemaError {
    unexpected(others + bases.map { "\"\($0.rawValue)\"" })
  }

  // MARK: Tokens

  private var token: SchemaToken { tokens[min(index, tokens.count - 1)] }

  private func unexpected(_ expected: [String], remedy: Remedy? = nil) -> SchemaError {
    SchemaError(unexpected: token, expected: expected, remedy: remedy)
  }

  private func fault(
    _ message: String, _ token: SchemaToken, remedy: Remedy? = nil
  ) -> SchemaError {
    SchemaError(message, at: token.position, token.span, remedy: remedy)
  }

  /// Takes a keyword or a symbol.
  private mutating func take(_ text: String) throws(SchemaError) {
    switch token.kind {
    case .word(let word) where word.uppercased() == text: index += 1
    case .symbol(let symbol) where String(symbol) == text: index += 1
    case .word, .quoted, .symbol, .end:
      throw unexpected(["\"\(text)\""])
    }
  }

  /// Takes a name, quoted or not.
  private mutating func name(others: [String] = []) throws(SchemaError) -> String {
    switch token.kind {
    case .quoted(let name):
      index += 1
      return name
    case .word(let name) where name.isBareSchemaName:
      index += 1
      return name
    case .word(let name) where name.hasPrefix("_"):
      throw unexpected(
        others + Self.names, remedy: "put system names in quotes: \"\(name)\"")
    case .word(let name) where String.reservedSchemaWords.contains(name.uppercased()):
      throw unexpected(
        others + Self.names, remedy: "put the name in quotes: \"\(name)\"")
    case .word, .symbol, .end: throw unexpected(others + Self.names)
    }
  }

  private static let names = ["<IDENTIFIER>", "<QUOTED_IDENTIFIER>"]

  private func checked<T>(
    _ token: SchemaToken, _ work: () throws(CloudError) -> T
  ) throws(SchemaError) -> T {
    do throws(CloudError) { return try work() } catch {
      throw fault(error.message, token, remedy: error.remedy)
    }
  }
}

/// A type, as read so far.
private struct TypeDraft {
  var schema: RecordTypeSchema
  var fields: Set<String> = []

  init(_ type: RecordType) { schema = RecordTypeSchema(name: type, fields: [], grants: Grants()) }
}
