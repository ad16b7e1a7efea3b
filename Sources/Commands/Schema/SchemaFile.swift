internal import Basics
internal import CloudModel
internal import CloudServices
internal import CoreDataModel
internal import SchemaLanguage

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A schema file that a command reads. A Core Data model is read as the schema that
/// NSPersistentCloudKitContainer creates from it.
struct SchemaFile {
  let path: String
  let schema: Schema

  /// Reads a file, or standard input for `-`. Throws `CommandError` with the position of the first
  /// fault, `SystemError` if the file cannot be read.
  init(_ path: String, _ context: Context) throws {
    self.path = path
    if ModelFile.isModel(path) {
      schema = try ModelDocument(path).completeMirror(context).schema(.initialize)
      return
    }
    let name = path == "-" ? "standard input" : path
    let text = try Self.text(path, context)
    if text.first(where: { !$0.isWhitespace }) == "<" {
      schema = try ModelDocument(text, of: name).completeMirror(context).schema(.initialize)
      return
    }
    do throws(SchemaError) { schema = try SchemaParser.parse(text) } catch {
      throw CommandError(error, in: text, of: name)
    }
  }

  /// The schema of an environment by its name, or of a file. Throws as `init`.
  static func schema(_ name: String, _ context: Context) throws -> Schema {
    if let environment = Environment(rawValue: name) {
      return try context.environment(environment).fullSchema()
    }
    return try SchemaFile(name, context).schema
  }

  /// The text of a file. Throws `CommandError` if it is not UTF-8, `SystemError` if it cannot be
  /// read.
  static func text(_ path: String, _ context: Context) throws -> String {
    let name = path == "-" ? "standard input" : path
    let input =
      path == "-" ? context.surroundings.input : try FileHandle(open: path, O_RDONLY)
    do {
      return try SchemaText.read(name, input)
    } catch let error as InvalidSchemaText {
      throw CommandError(error.description, .data)
    }
  }
}

extension CommandError {
  /// The error of an invalid schema.
  fileprivate init(_ error: SchemaError, in text: String, of file: String) {
    let expected = error.expected.joined(separator: ", ")
    let asked = error.expected.count == 1 ? "Was expecting: " : "Was expecting one of: "
    self.init(
      "\(file):\(error.position.text): \(error.message)"
        + (expected.isEmpty ? "" : " \(asked)\(expected)"), .data, hint: error.remedy?.hint)
    caret = Caret(text: text, span: error.span)
    cloud = CloudError(.invalidArguments, error.serviceText, remedy: error.remedy)
  }
}
