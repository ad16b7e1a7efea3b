internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import SchemaLanguage
internal import WireFormat

/// `ckdb fixture export`
enum FixtureExport {
  static let output = Option("output", "o", .file, default: "standard output", "File to write")
  static let assets = Option(
    "assets", nil, .directory, "Directory for the contents of assets, in addition to the output")
  static let schema = Option(
    "schema", nil, .file, "File for the schema; the output refers to it")

  static var command: Command<Context> {
    Command(
      options: [AnyOption(output), AnyOption(assets), AnyOption(schema)],
      discussion: """
        Writes the public database, all private databases, accounts, devices and shares as a \
        fixture in canonical text: zones and records sorted by name, one record per line. Loading \
        it into another store gives the same records, and exporting them the same text. Asset \
        contents are part of the text, or separate files with --assets. References to missing \
        records are marked as dangling.
        """,
      examples: [
        .init("Save what you built by hand", "ckdb fixture export -o library.json"),
        .init(
          "Write assets and schema to separate files",
          "ckdb fixture export -o seed/all.json --assets files --schema schema.ckdb"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let environment = try context.environment()
    try environment.holdingAssets {
      try context.store().holdingDocuments(
        in: environment.container, for: environment.request
      ) { try export(arguments, context) }
    }
  }

  private static func export(_ arguments: Arguments, _ context: Context) throws {
    guard let path = arguments[output], path != "-" else {
      return try write(arguments, context, to: context.output, beside: ".")
    }
    try OutputFile.write(path) { file in
      let target = ByteOutput(file)
      try write(arguments, context, to: target, beside: FileSystem.parent(of: path))
      target.flush()
      if let failure = target.failure { throw failure }
    }
    context.report("wrote \(path)")
  }

  private static func write(
    _ arguments: Arguments, _ context: Context, to output: ByteOutput, beside directory: String
  ) throws {
    let database = try context.database()
    try database.requireAccount()
    let environment = database.environment
    let schema = try environment.fullSchema()
    if let name = arguments[Self.schema] {
      try OutputFile.write("\(directory)/\(name)") {
        try $0.writeAll(Array(SchemaPrinter.text(schema).utf8))
      }
    }
    let types = Dictionary(
      uniqueKeysWithValues: schema.types.map { ($0.name, $0.typesByField) })
    let files = arguments[assets].map { AssetTexts.Files(directory: directory, folder: $0) }
    let documents = try context.store().documentFiles(
      in: environment.container, for: environment.request)
    let texts = AssetTexts(environment: environment, documents: documents, files: files)
    var writer = FixtureWriter { try texts.text(of: $0) }
    writer.begin(
      container: environment.container, schema: arguments[Self.schema], to: &output.buffer)
    try database.walkFixture { step in
      switch step {
      case .zone(let scope, let account, let name):
        writer.append(name, in: scope, of: account, to: &output.buffer)
      case .record(let record, let dangling):
        try writer.append(
          record, types: types[record.type] ?? [:], dangling: dangling, to: &output.buffer)
      case .entries(let entries): try writer.end(entries, &output.buffer)
      }
      output.spill()
    }
  }
}

/// Writes the contents of assets as text, Base64 or files.
private struct AssetTexts {
  let environment: CloudEnvironment
  let documents: CloudStore.DocumentFiles
  let files: Files?

  /// The directory for asset files.
  struct Files {
    let directory: String
    /// The folder below it, as named in the fixture.
    let folder: String
  }

  func text(of asset: Asset) throws -> (key: String, value: String) {
    if let files {
      let folder = "\(files.directory)/\(files.folder)"
      try FileSystem.makeDirectories(folder)
      if FileSystem.size(of: "\(folder)/\(asset.sha256)") != asset.size {
        try OutputFile.write("\(folder)/\(asset.sha256)") { target in
          try copy(asset) { try target.write(all: $0) }
        }
      }
      return ("file", "\(files.folder)/\(asset.sha256)")
    }
    var bytes: [UInt8] = []
    try copy(asset) { bytes.append(contentsOf: $0) }
    if let text = String(validating: bytes, as: UTF8.self), text.isReadable {
      return ("text", text)
    }
    return ("base64", Base64.encode(bytes))
  }

  /// Copies the contents of a record's asset, or of a document.
  private func copy(
    _ asset: Asset, to target: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    if try environment.has(asset) { return try environment.copy(asset, to: target) }
    try documents.copy(asset, to: target)
  }
}

extension String {
  /// Whether it has no control characters except newlines and tabs.
  fileprivate var isReadable: Bool {
    unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F || $0 == "\n" || $0 == "\t" }
  }
}
