internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import WireFormat

/// `ckdb cktool create-record`
enum CKToolCreateRecord {
  static let file = Option("fields-file", nil, .file, "Read the fields from this JSON file")
  static let json = Option(
    "fields-json", nil, ValueKind<String>.text("JSON"), "Fields as JSON")
  static let input = Flag("fields-stdin", "Read the fields as JSON from standard input")
  static let assets = Option(
    "asset-files", nil, ValueKind<String>.text("KEY=FILE"), takesMany: true,
    "Asset files, under the keys that the fields use")

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
        encryptedStringType and so on. The value of an asset is a key of --asset-files. An unknown \
        record type is created in development and refused in production.
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
    let fields = try fields(arguments, context, database.environment)
    let result: SaveResult
    do {
      result = try database.save(
        SaveRequest(name: nil, type: type, assignments: fields), in: place.zone)
    } catch {
      database.environment.discard(fields)
      throw error
    }
    context.report(result.notices)
    var bytes: [UInt8] = []
    bytes.append(tool: result.record, types: try database.environment.fieldTypes(of: type))
    context.output.line(String(decoding: bytes, as: UTF8.self))
  }

  // MARK: Fields

  private static func text(_ arguments: Arguments, _ context: Context) throws -> String {
    let sources = [arguments[file] != nil, arguments[json] != nil, arguments[input]]
    guard sources.count(where: { $0 }) <= 1 else {
      throw CommandError(
        "--fields-file, --fields-json and --fields-stdin cannot be used together", .usage)
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
      var failure = CommandError("the fields are not valid JSON: \(error.message)", .data)
      failure.caret = .init(text: text, span: error.offset..<error.offset + 1)
      throw failure
    }
    guard case .object(let members) = json else {
      throw CommandError("the fields are not a JSON object", .data)
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
        "field '\(name.visible)' must be {\"type\":…,\"value\":…}", .data,
        hint: "{\"type\":\"stringType\",\"value\":\"text\"}")
    }
    guard let type = FieldType(toolName: typeName) else {
      throw CommandError(
        "field '\(name.visible)': unknown type '\(typeName.visible)'", .data,
        hint: "stringType, int64Type, doubleType, timestampType, locationType, bytesType, "
          + "referenceType, assetType, and …ListType")
    }
    guard let value = ToolValue(given, as: type) else {
      throw CommandError("field '\(name.visible)': the value is not a valid \(typeName)", .data)
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
              "field '\(name.visible)': --asset-files has no file for '\(key.visible)'", .data)
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

  /// The asset files by key. Expands `~/`, which the shell does not expand after the key.
  private static func files(
    _ arguments: Arguments, _ context: Context
  ) throws -> [String: String] {
    var files: [String: String] = [:]
    for word in arguments.all(assets) {
      let parts = word.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else {
        throw CommandError("expected KEY=FILE, found '\(word.visible)'", .usage)
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
