internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import PredicateLanguage
internal import WireFormat

/// `ckdb cktool query-records`
enum CKToolQueryRecords {
  static let sorts = Option(
    "sort-by", nil, ValueKind<String>.text("SORT"), takesMany: true, "Sorts, FIELD [ASC|DESC]")
  static let fields = Option(
    "requested-fields", nil, ValueKind<String>.text("FIELD"), takesMany: true,
    "The fields to print (default: all)")
  static let limit = Option(
    "limit", nil, ValueKind<Int>.count("N", atLeast: 1), default: "200", "At most N records")
  static let token = Option(
    "continuation-token", nil, .cursor, "Go on behind the page that gave this token")

  static var command: Command<Context> {
    Command(
      options: CKToolOptions.data + [
        AnyOption(CKToolOptions.type), AnyOption(CKToolOptions.filters), AnyOption(sorts),
        AnyOption(fields), AnyOption(limit), AnyOption(token),
      ],
      discussion: """
        Prints the records that match all filters, and a continuationToken when there are more. \
        Operators are == != < <= > >= or EQUALS NOT_EQUALS LESS_THAN LESS_THAN_OR_EQUALS \
        GREATER_THAN GREATER_THAN_OR_EQUALS NEAR CONTAINS_ALL_TOKENS CONTAINS_ANY_TOKENS \
        LIST_CONTAINS_ANY LIST_NOT_CONTAINS_ANY. A value is taken for a number, a date, \
        latitude,longitude or a text; stringType:2021-01-01 says which. Fields must be marked \
        queryable and sortable, and recordName queryable where there is no filter.
        """,
      examples: [
        .init(
          "Query with a filter",
          "ckdb cktool query-records --team-id T --container-id iCloud.org.example.app --environment development --database-type public --record-type CoffeeShop --filters \"latteCost > 4.60\" --sort-by \"latteCost DESC\""
        )
      ]
    ) { arguments, context in
      let place = CKToolPlace(arguments, context)
      let database = try place.database()
      var request: QueryRequest
      if let cursor = arguments[token] {
        request = try CKToolRequest.continuing(cursor, place)
      } else {
        request = try CKToolRequest.make(arguments, context)
        request.sort = try arguments.all(sorts).map { try SortKey(toolText: $0) }
        if let schema = try database.environment.schema(of: request.type) {
          for key in request.sort { try CKToolRequest.require(.sortable, of: key.key, schema) }
        }
      }
      request.limit = arguments[limit] ?? 200
      let keys = arguments.all(fields)
      if !keys.isEmpty { request.keys = try keys.map { try FieldName($0) } }
      try CKToolRequest.printRecords(of: request, database, context)
    }
  }
}

/// The query of a verb.
enum CKToolRequest {
  static func make(_ arguments: Arguments, _ context: Context) throws -> QueryRequest {
    let place = CKToolPlace(arguments, context)
    let filters = try arguments.all(CKToolOptions.filters).map { try CKToolFilter($0) }
    let format = filters.map(\.format).joined(separator: " AND ")
    var request = QueryRequest(
      type: try place.type(),
      predicate: try context.parse(
        format.isEmpty ? "TRUEPREDICATE" : format, filters.flatMap(\.arguments)))
    request.zone = place.zone
    if let schema = try place.environment().schema(of: request.type) {
      if filters.isEmpty { try require(.queryable, of: "recordName", schema) }
      for filter in filters { try require(filter.indexes, of: filter.key, schema) }
    }
    return request
  }

  /// The query behind a token, which has all of it; the type may be named again.
  static func continuing(_ cursor: QueryCursor, _ place: CKToolPlace) throws -> QueryRequest {
    if let type = place.arguments[CKToolOptions.type], type != cursor.type {
      throw CommandError("the token belongs to a query of \(cursor.type.text)", .data)
    }
    var request = QueryRequest(
      type: cursor.type, predicate: try place.context.parse(cursor.predicate))
    request.zone = cursor.zone
    request.sort = cursor.sort
    request.after = cursor
    return request
  }

  /// Whether a field is marked with one of some indexes, which the service wants (§7.3). Throws
  /// `invalidArguments` in its words.
  static func require(
    _ indexes: FieldIndexes, of key: String, _ schema: RecordTypeSchema
  ) throws(CloudError) {
    let found: FieldIndexes
    if let system = SystemKey(key) {
      found = schema.systemIndexes[system] ?? []
    } else if key == "allTokens" {
      found = schema.fields.contains { $0.indexes.contains(.searchable) } ? .searchable : []
    } else {
      guard let field = schema.field(key) else { throw .fieldNotFound(key, in: schema.name) }
      found = field.indexes
    }
    guard found.isDisjoint(with: indexes), let word = indexes.words.first?.lowercased() else {
      return
    }
    throw CloudError(
      .invalidArguments, "Field '\(key)' is not marked \(word)", serverCode: 2015,
      hint: "ckdb schema index \(schema.name.text) \(key) --\(word)")
  }

  /// Prints the records of a page, and where the next one begins.
  static func printRecords(
    of request: QueryRequest, _ database: CloudDatabase, _ context: Context
  ) throws {
    let types = try database.environment.fieldTypes(of: request.type)
    var bytes = Array("{\"records\":[".utf8)
    var isFirst = true
    let next = try database.query(request) { record in
      bytes += Array((isFirst ? "\n  " : ",\n  ").utf8)
      isFirst = false
      bytes.append(tool: record, types: types)
      return true
    }
    bytes += Array((isFirst ? "]" : "\n]").utf8)
    if let next {
      bytes += Array(",\"continuationToken\":".utf8)
      bytes.append(jsonString: next.text)
    }
    bytes += Array("}\n".utf8)
    context.output.write(String(decoding: bytes, as: UTF8.self))
  }
}

/// `ckdb cktool create-record`
enum CKToolCreateRecord {
  static let file = Option("fields-file", nil, .file, "File with the fields as JSON")
  static let json = Option(
    "fields-json", nil, ValueKind<String>.text("JSON"), "The fields as JSON")
  static let input = Flag("fields-stdin", "Read the fields as JSON from standard input")
  static let assets = Option(
    "asset-files", nil, ValueKind<String>.text("KEY=FILE"), takesMany: true,
    "Files that the fields name by keys")

  static var command: Command<Context> {
    Command(
      options: CKToolOptions.data + [
        AnyOption(CKToolOptions.type), AnyOption(file), AnyOption(json), AnyOption(input),
        AnyOption(assets),
      ],
      discussion: """
        Creates a record with a new name and prints it. Fields are an object of \
        {"type":"stringType","value":…}; types are stringType int64Type doubleType timestampType \
        locationType bytesType referenceType assetType, each also as …ListType, and \
        encryptedStringType and so on. The value of an asset is a key that --asset-files names a \
        file for. The record type must be in the schema.
        """,
      examples: [
        .init(
          "Create a record",
          "ckdb cktool create-record --team-id T --container-id iCloud.org.example.app --environment development --database-type public --record-type Book --fields-json '{\"title\":{\"type\":\"stringType\",\"value\":\"The Mysterious Island\"}}'"
        )
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let place = CKToolPlace(arguments, context)
    let database = try place.database()
    let type = try place.type()
    guard try database.environment.schema(of: type) != nil else {
      throw CloudError.typeNotFound(type)
    }
    let fields = try fields(arguments, context, database.environment)
    let result: SaveResult
    do {
      result = try database.save(
        SaveRequest(name: nil, type: type, assignments: fields), in: place.zone)
    } catch {
      database.environment.discard(fields)
      throw error
    }
    context.reportNotices(of: database.environment)
    var bytes: [UInt8] = []
    bytes.append(tool: result.record, types: try database.environment.fieldTypes(of: type))
    context.output.line(String(decoding: bytes, as: UTF8.self))
  }

  // MARK: Fields

  private static func text(_ arguments: Arguments, _ context: Context) throws -> String {
    let sources = [arguments[file] != nil, arguments[json] != nil, arguments[input]]
    guard sources.count(where: { $0 }) <= 1 else {
      throw CommandError("one of --fields-file, --fields-json and --fields-stdin", .usage)
    }
    if let path = arguments[file] {
      return String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    }
    if arguments[input] {
      let bytes = try FileSystem.contents(of: context.surroundings.input)
      return String(decoding: bytes, as: UTF8.self)
    }
    return arguments[json] ?? "{}"
  }

  private static func fields(
    _ arguments: Arguments, _ context: Context, _ environment: CloudEnvironment
  ) throws -> [FieldAssignment] {
    let text = try text(arguments, context)
    let json: JSONValue
    do throws(JSONError) { json = try JSONParser.parse(text) } catch {
      var failure = CommandError("the fields are no JSON: \(error.message)", .data)
      failure.caret = .init(text: text, span: error.offset..<error.offset + 1)
      throw failure
    }
    guard case .object(let members) = json else {
      throw CommandError("the fields are no JSON object", .data)
    }
    let files = try Self.files(arguments, context)
    var fields: [FieldAssignment] = []
    do {
      for member in members {
        fields.append(try field(member.name, member.value, files, environment))
      }
    } catch {
      environment.discard(fields)
      throw error
    }
    return fields
  }

  private static func field(
    _ name: String, _ json: JSONValue, _ files: [String: String], _ environment: CloudEnvironment
  ) throws -> FieldAssignment {
    guard let typeName = json["type"]?.string, let given = json["value"] else {
      throw CommandError(
        "field '\(name.visible)' is not {\"type\":…,\"value\":…}", .data,
        hint: "{\"type\":\"stringType\",\"value\":\"text\"}")
    }
    guard let type = FieldType(toolName: typeName) else {
      throw CommandError(
        "field '\(name.visible)': unknown type '\(typeName.visible)'", .data,
        hint: "stringType, int64Type, doubleType, timestampType, locationType, bytesType, "
          + "referenceType, assetType, and …ListType")
    }
    guard let value = ToolValue(given, as: type) else {
      throw CommandError("field '\(name.visible)': the value is no \(typeName)", .data)
    }
    let field = try FieldName(name)
    switch value {
    case .value(let value): return FieldAssignment(field, value, type: type)
    case .files(let keys, let isList):
      var staged: [StagedAsset] = []
      do {
        for key in keys {
          guard let path = files[key] else {
            throw CommandError(
              "field '\(name.visible)': --asset-files names no file for '\(key.visible)'", .data)
          }
          staged.append(try environment.stage(path))
        }
      } catch {
        staged.forEach(environment.discard)
        throw error
      }
      let assets = staged.map { FieldValue.asset($0.asset) }
      return FieldAssignment(
        field, isList ? .list(assets) : assets[0], type: type, staged: staged)
    }
  }

  /// The files of assets by their keys; `~/` is the home directory, since the shell does not look
  /// behind the key.
  private static func files(
    _ arguments: Arguments, _ context: Context
  ) throws -> [String: String] {
    var files: [String: String] = [:]
    for word in arguments.all(assets) {
      let parts = word.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else {
        throw CommandError("'\(word.visible)' is not KEY=FILE", .usage)
      }
      var path = String(parts[1])
      if path.hasPrefix("~/"), let home = context.surroundings.variable("HOME") {
        path = home + path.dropFirst()
      }
      files[String(parts[0])] = path
    }
    return files
  }
}

/// `ckdb cktool delete-record`
enum CKToolDeleteRecord {
  static let name = Option("record-name", nil, .record, "Name of the record")

  static var command: Command<Context> {
    Command(
      options: CKToolOptions.data + [AnyOption(name)],
      discussion: "Deletes a record by its name, and asks first, unless --yes is given.",
      examples: [
        .init(
          "Delete a record",
          "ckdb cktool delete-record --container-id iCloud.org.example.app --environment development --database-type public --record-name b1 --yes"
        )
      ]
    ) { arguments, context in
      let place = CKToolPlace(arguments, context)
      let database = try place.database()
      guard let name = arguments[name] else {
        throw CommandError("--record-name is missing", .usage)
      }
      try context.confirm("delete record \(name.text)")
      guard try database.delete(name, in: place.zone) else { throw CloudError.recordNotFound(name) }
    }
  }
}

/// `ckdb cktool delete-records`
enum CKToolDeleteRecords {
  static let dryRun = Option(
    "dry-run", nil, ValueKind<Choice>.choice("WHETHER"), default: "true",
    "Only print what would be deleted: true or false")

  enum Choice: String, CaseIterable {
    case `true`
    case `false`
  }

  static var command: Command<Context> {
    Command(
      options: CKToolOptions.data + [
        AnyOption(CKToolOptions.type), AnyOption(CKToolOptions.filters), AnyOption(dryRun),
      ],
      discussion: """
        Prints the records that match all filters; with --dry-run false deletes them, and asks \
        first, unless --yes is given.
        """,
      examples: [
        .init(
          "Delete what matches",
          "ckdb cktool delete-records --container-id iCloud.org.example.app --environment development --database-type public --record-type Book --filters \"pageCount < 1000\" --dry-run false --yes"
        )
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let place = CKToolPlace(arguments, context)
    let database = try place.database()
    var request = try CKToolRequest.make(arguments, context)
    guard arguments[dryRun] == .false else {
      return try CKToolRequest.printRecords(of: request, database, context)
    }
    request.keys = []
    var names: [RecordName] = []
    _ = try database.query(request) {
      names.append($0.name)
      return true
    }
    if !names.isEmpty {
      try context.confirm("delete \(names.count.counted("record")) of \(request.type.text)")
    }
    let items = names.map { ModifyRequest.Item(.delete($0, tag: nil), in: place.zone) }
    var modify = ModifyRequest(items, isAtomic: false)
    modify.isLimited = false
    let result = try database.modify(modify)
    context.output.line("{\"deletedCount\":\(result.deletedCount),\"errors\":[]}")
    if let error = result.error { throw CommandError(batch: error, advice: .tag) }
  }
}

extension CloudEnvironment {
  /// The types of a type's fields, by their names.
  fileprivate func fieldTypes(of type: RecordType) throws -> [FieldName: FieldType] {
    Dictionary(
      uniqueKeysWithValues: (try schema(of: type)?.fields ?? []).map { ($0.name, $0.type) })
  }
}
