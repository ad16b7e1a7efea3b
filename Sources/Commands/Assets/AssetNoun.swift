internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb asset …`
enum AssetNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("put", "Store a file as an asset of a record", verb: { AssetPut.command }),
    CommandRow("get", "Write an asset's contents to a file", verb: { AssetGet.command }),
    CommandRow("list", "List the assets of a zone's records", verb: { AssetList.command }),
    CommandRow("verify", "Verify the contents of all assets", verb: { AssetVerify.command }),
    CommandRow("gc", "Delete contents that no record uses", verb: { AssetGC.command }),
  ]
}

/// `ckdb asset put NAME FIELD FILE`
enum AssetPut {
  static let name = Operand("NAME", .record, "Name of an existing record")
  static let field = Operand("FIELD", .field, "Asset field of the record")
  static let file = Operand("FILE", .file, "File to store; - is standard input")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(name), AnyOperand(field), AnyOperand(file)],
      discussion: """
        The contents are hashed, copied and made durable before the record changes; other fields \
        keep their values. CloudKit may refuse assets over 50 MB: that is a warning here, and an \
        error with --strict.
        """,
      examples: [.init("Store a picture", "ckdb asset put A00001 image photo.jpg")], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let database = try context.database()
    let environment = database.environment
    let name = arguments.required(name)
    let path = arguments.required(file)
    guard let record = try database.fetch([name], in: context.zone(), keys: []).first else {
      return
    }
    let type = try record.get().type
    let staged = try context.stage(path, in: environment)
    do {
      let assignment = FieldAssignment(
        arguments.required(field), .asset(staged.asset), type: FieldType(.asset), staged: [staged])
      let request = SaveRequest(
        name: name, type: type, assignments: [assignment], policy: .changed)
      let result = try database.save(request, in: context.zone())
      context.report(result.notices)
      context.report(
        "stored \(staged.asset.size) bytes as \(staged.asset.sha256) "
          + "(tag \(result.record.changeTag?.text ?? ""))")
    } catch {
      environment.discard(staged)
      throw error
    }
  }
}

extension Context {
  /// Copies a file (`-` is standard input) into the store for an asset field. Throws `CloudError`.
  func stage(_ path: String, in environment: CloudEnvironment) throws -> StagedAsset {
    path == "-" ? try environment.stage(surroundings.input) : try environment.stage(path)
  }
}

/// `ckdb asset get NAME FIELD`
enum AssetGet {
  static let name = Operand("NAME", .record, "Name of a record")
  static let field = Operand("FIELD", .field, "Asset field of the record")
  static let output = Option(
    "output", "o", .file, default: "a file named like the field",
    "File to write; - is standard output")

  static let index = Option(
    "index", nil, .place, "Index in a list of assets, from 0")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(name), AnyOperand(field)],
      options: [AnyOption(output), AnyOption(index)],
      discussion: """
        The contents are verified against their hash before anything is printed, or the file \
        appears.
        """,
      examples: [.init("Write a picture to a file", "ckdb asset get A00001 image -o photo.jpg")],
      run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let database = try context.database()
    try database.environment.holdingAssets { try get(arguments, context, database) }
  }

  private static func get(
    _ arguments: Arguments, _ context: Context, _ database: CloudDatabase
  ) throws {
    let name = arguments.required(name)
    let field = arguments.required(field)
    guard let result = try database.fetch([name], in: context.zone(), keys: [field]).first
    else { return }
    let record = try result.get()
    let asset = try asset(record, field, at: arguments[index])
    let path = arguments[output] ?? field.text
    if path == "-" {
      context.output.flush()
      let target = FileHandle(descriptor: 1, path: "standard output", closesAtEnd: false)
      try database.environment.verify(asset)
      return try database.environment.copy(asset, of: record, to: target)
    }
    try OutputFile.write(path, verify: { try database.environment.verify(asset) }) {
      try database.environment.copy(asset, of: record, to: $0)
    }
    context.report("wrote \(asset.size) bytes to \(path)")
  }
}

extension AssetGet {
  /// The asset of a field, or one asset of its list.
  private static func asset(
    _ record: Record, _ field: FieldName, at index: Int?
  ) throws -> Asset {
    let assets = record.fields[field]?.assets ?? []
    let place = "\(record.name.text) has no asset in \(field.text)"
    guard !assets.isEmpty else { throw CommandError(place, .no) }
    if case .asset(let asset)? = record.fields[field], index == nil { return asset }
    guard let index else {
      throw CommandError(
        "\(field.text) is a list of \(assets.count.counted("asset"))", .usage,
        hint: "select one with --index 0 to \(assets.count - 1)")
    }
    guard assets.indices.contains(index) else {
      throw CommandError("\(place) at \(index)", .no)
    }
    return assets[index]
  }
}

extension ValueKind where Value == Int {
  /// An index in a list, from 0.
  fileprivate static let place = ValueKind<Int>("N") { (word) throws(ValueError) in
    guard let number = Int(word), number >= 0 else {
      throw ValueError("expected a whole number of 0 or more, found '\(word.visible)'")
    }
    return number
  }
}

/// `ckdb asset list`
enum AssetList {
  static var command: Command<Context> {
    Command(
      discussion: "One row per asset; a list has one row per member.",
      examples: [.init("List the assets", "ckdb asset list")]
    ) { _, context in
      let database = try context.database()
      let output = try RowOutput(
        context, noun: "asset", columns: ["recordName", "recordType", "field", "sha256", "size"])
      try database.list(nil, in: context.zone()) { record in
        for entry in record.fields.entries {
          for asset in entry.value.assets {
            output.row([
              .string(record.name.text), .string(record.type.text), .string(entry.name.text),
              .string(asset.sha256), .int(asset.size),
            ])
          }
        }
        return true
      }
      output.finish()
    }
  }
}
