internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb record save TYPE [FIELD…]`
enum RecordSave {
  static let type = Operand(
    "TYPE", .type, .optional, "Record type; with --from the default for records without one")
  static let assignments = Operand(
    "FIELD=VALUE", .assignment, .any, "Values to set: field=text, field:=JSON, field@file")
  static let name = Option("name", nil, .record, default: "a new UUID", "Name of the record")
  static let policy = Option(
    "policy", nil, ValueKind<SavePolicy>.choice("POLICY"), default: "unchanged",
    "Save policy for existing records: unchanged, changed, all")
  static let replace = Flag("replace", "Remove fields and the parent that are not given")
  static let tag = Option(
    "tag", nil, ValueKind<String>.text("TAG"), "Change tag of the version to update")
  static let parent = Option("parent", nil, .record, "Name of the parent record")
  static let from = Option(
    "from", nil, .file, "Save the records of a file as one operation; - is standard input")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(type), AnyOperand(assignments)],
      options: [
        AnyOption(name), AnyOption(policy), AnyOption(replace), AnyOption(tag),
        AnyOption(parent), AnyOption(from), AnyOption(BatchOptions.atomic),
        AnyOption(BatchOptions.noAtomic), AnyOption(BatchOptions.clientToken),
      ] + OutputOptions.all,
      discussion: """
        Without --tag the record must be new, with --tag it must be that version; --policy changed \
        merges the given fields into an existing record. In development, new types and fields are \
        created as needed. field=text is read by the field's type, and creates a STRING field; \
        field:=1922 reads JSON; field:timestamp=2024-05-01 names the type (string, int64, double, \
        timestamp, bytes, location, reference, asset, list<TYPE>, encrypted<TYPE>); field@FILE \
        stores a file as an asset. With a format option the saved record is printed.

        --from saves up to 400 records in one operation, in the forms that import reads; a \
        record's changeTag works like --tag, "parent": null removes its parent, and "deleted": \
        true deletes it. In a custom zone all are saved or none, in the default zone each is saved \
        independently; exit code 3 means that some failed.
        """,
      examples: [
        .init("Save a new record", "ckdb record save Artist name='William Blake' birthYear:=1757"),
        .init(
          "Refer to another record",
          "ckdb record save Artwork --name A00002 title='A Figure' artist:reference=blake"),
        .init(
          "Change one field", "ckdb record save Artwork --name A00001 --policy changed year:=1780"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    if let path = arguments[from] { return try saveAll(arguments, context, from: path) }
    if try BatchOptions.isAtomic(arguments) != nil {
      throw CommandError("--atomic and --no-atomic need --from", .usage)
    }
    guard let type = arguments[type] else {
      throw CommandError("TYPE is missing", .usage, hint: "ckdb record save --help")
    }
    let database = try context.database()
    let environment = database.environment
    let result = try save(type, arguments, context, database)
    context.report(result.notices)
    let record = result.record
    context.report("saved \(record.description)")
    if let format = context.settings.explicitFormat {
      let schema = try environment.schema(of: type).map { [$0] } ?? []
      let output = try RecordOutput(context, arguments, .init(allOf: schema), as: format)
      output.write(record)
      output.finish()
    }
  }

  /// Parses the assignments by the schema, and saves the record.
  private static func save(
    _ type: RecordType, _ arguments: Arguments, _ context: Context, _ database: CloudDatabase
  ) throws -> SaveResult {
    let policy = try keepsTag(arguments)
    let zone = try context.zone()
    var fields: [FieldAssignment] = []
    do {
      return try database.save(
        type, in: zone, clientToken: arguments[BatchOptions.clientToken]
      ) { schema in
        database.environment.discard(fields)
        let reader = AssignmentReader(
          context: context, environment: database.environment, type: type, schema: schema)
        fields = try reader.read(arguments.all(assignments))
        return SaveRequest(
          name: arguments[name], type: type, assignments: fields,
          tag: arguments[tag].map { ChangeTag(given: $0) }, policy: policy,
          replacesFields: arguments[replace], parent: arguments[parent])
      }
    } catch {
      database.environment.discard(fields)
      throw (error as? CloudError)?.advising(.tagOrPolicy) ?? error
    }
  }

  /// The save policy. Throws if it would ignore a given `--tag`.
  private static func keepsTag(_ arguments: Arguments) throws -> SavePolicy {
    let policy = arguments[policy] ?? .unchanged
    if policy != .unchanged, arguments[tag] != nil {
      throw CommandError("--tag can only be used with --policy unchanged", .usage)
    }
    return policy
  }
}
