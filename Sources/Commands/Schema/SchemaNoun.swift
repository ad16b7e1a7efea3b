internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb schema …`
enum SchemaNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("show", "Show types with their fields", verb: { SchemaShow.command }),
    CommandRow("types", "List the record types", verb: { SchemaTypes.command }),
    CommandRow("fields", "List the fields of a type", verb: { SchemaFields.command }),
    CommandRow(
      "export", "Write the schema in Apple's schema language", verb: { SchemaExport.command }),
    CommandRow("import", "Replace the development schema", verb: { SchemaImport.command }),
    CommandRow("validate", "Validate a schema file", verb: { SchemaValidate.command }),
    CommandRow(
      "check", "Report what the production schema lacks", verb: { SchemaCheck.command }),
    CommandRow(
      "core-data", "Print or check the schema of a Core Data model",
      verb: { SchemaCoreData.command }),
    CommandRow("diff", "Compare two schemas", verb: { SchemaDiff.command }),
    CommandRow("add", "Add a type or fields to development", verb: { SchemaAdd.command }),
    CommandRow("index", "Change the declared indexes of fields", verb: { SchemaIndex.command }),
    CommandRow(
      "grant", "Grant permissions on a type to a role",
      verb: { SchemaGrant.command(isGiven: true) }),
    CommandRow(
      "revoke", "Revoke permissions on a type from a role",
      verb: { SchemaGrant.command(isGiven: false) }),
    CommandRow("role", "Create, list or delete security roles", verb: { SchemaRole.command }),
    CommandRow("drop", "Drop a type or a field from development", verb: { SchemaDrop.command }),
    CommandRow(
      "deploy", "Deploy the development schema to production",
      verb: { SchemaDeploy.command }),
    CommandRow(
      "reset", "Delete all development data and reset its schema", verb: { SchemaReset.command }),
  ]
}

/// `ckdb schema show [TYPE]`
enum SchemaShow {
  static let type = Operand("TYPE", .type, .optional, "Record type (default: all)")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(type)], options: [AnyOption(CoreDataOptions.coreData)],
      discussion: """
        One row per field, with its type and its declared indexes, and one per type with what its \
        roles may do. With --core-data the types of Core Data's mirror are shown as entities, with \
        attributes and relationships: what refers to an entity is found in the records of the zone.
        """,
      examples: [
        .init("Show the whole schema", "ckdb schema show"),
        .init("Show the entities of Core Data's mirror", "ckdb schema show --core-data"),
      ]
    ) { arguments, context in
      if arguments[CoreDataOptions.coreData] { return try showEntities(arguments, context) }
      let environment = try context.environment()
      let schemas: [RecordTypeSchema]
      if let type = arguments[type] {
        schemas = [try SchemaFields.require(type, environment)]
      } else {
        schemas = try environment.schema()
      }
      let output = try RowOutput(
        context, noun: "field", columns: ["recordType", "field", "type", "indexes", "grants"])
      for schema in schemas {
        for field in SchemaFields.all(of: schema) {
          output.row([.string(schema.name.text)] + SchemaFields.row(field) + [.null])
        }
        output.row([
          .string(schema.name.text), .null, .null, .null, .string(grants(schema.grants)),
        ])
      }
      output.finish()
    }
  }
}

extension SchemaShow {
  /// Shows Core Data's entities: one row per property.
  private static func showEntities(_ arguments: Arguments, _ context: Context) throws {
    let database = try context.database()
    let zone = try CoreDataOptions.zone(context, database.scope)
    let view = try ObjectView(database, zone: zone, model: nil)
    let name = arguments[type]?.text
    if let name, view.type(named: name) == nil {
      throw CloudError(
        .unknownItem, "no entity '\(name.visible)'",
        remedy: .nearest(to: name, among: view.entities.map(\.name.text)))
    }
    let output = try RowOutput(
      context, noun: "row", columns: ["entity", "property", "kind", "type", "destination"])
    for entity in name.map({ view.entities(named: $0) }) ?? view.entities {
      for property in entity.fields {
        let kind = view.kind(of: property)
        output.row([
          .string(entity.name.text), .string(property.name.text), .string(kind.rawValue),
          kind == .attribute ? .string(property.type.schemaName) : .null,
          view.destination(of: property, in: entity).map { .string($0) } ?? .null,
        ])
      }
    }
    output.finish()
  }

  /// What each role may do: `_world: READ, _icloud: CREATE`.
  private static func grants(_ grants: Grants) -> String {
    grants.entries.map { entry in
      "\(entry.role.name): \(entry.permissions.words.joined(separator: " "))"
    }.joined(separator: ", ")
  }
}

/// `ckdb schema types`
enum SchemaTypes {
  static var command: Command<Context> {
    Command(examples: [.init("List the record types", "ckdb schema types")]) { _, context in
      let output = try RowOutput(context, noun: "type", columns: ["recordType", "fields"])
      for schema in try context.environment().schema() {
        output.row([.string(schema.name.text), .int(Int64(schema.fields.count))])
      }
      output.finish()
    }
  }
}

/// `ckdb schema fields TYPE`
enum SchemaFields {
  static let type = Operand("TYPE", .type, "Record type")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(type)],
      examples: [.init("List the fields of a type", "ckdb schema fields Artwork")]
    ) { arguments, context in
      let schema = try require(arguments.required(type), try context.environment())
      let output = try RowOutput(
        context, noun: "field", columns: ["field", "type", "indexes"])
      for field in all(of: schema) { output.row(row(field)) }
      output.finish()
    }
  }

  /// The fields, and the system fields that have indexes.
  static func all(of schema: RecordTypeSchema) -> [FieldSchema] {
    var fields = schema.fields + schema.indexedSystemFields
    if schema.name == .users, schema.field(FieldName.roles.text) == nil {
      fields.append(FieldSchema(name: .roles, type: .ofRoles, indexes: []))
    }
    return fields.sorted { utf8Precedes($0.name.text, $1.name.text) }
  }

  static func row(_ field: FieldSchema) -> [JSONValue] {
    [
      .string(field.name.text), .string(field.type.schemaName),
      .string(field.indexes.words.joined(separator: " ")),
    ]
  }

  /// A type's schema. Throws `unknownItem`, with the nearest name as a hint.
  static func require(
    _ type: RecordType, _ environment: CloudEnvironment
  ) throws -> RecordTypeSchema {
    if let schema = try environment.schema(of: type) { return schema }
    throw CloudError.typeNotFound(type, among: try environment.schema().map(\.name))
  }
}
