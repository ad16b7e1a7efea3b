internal import CloudModel
internal import CloudServices
internal import CommandKit

/// The common options of the cktool verbs (L5).
enum CKToolOptions {
  static let token = Option(
    "token", "t", ValueKind<String>.text("TOKEN"), "Accepted for compatibility; any value works")
  static let team = Option(
    "team-id", nil, ValueKind<String>.text("ID"), "Accepted for compatibility; any value works")
  static let container = Option("container-id", nil, .container, "Container")
  static let database = Option("database-type", nil, .scope, "public, private or shared")
  static let zone = Option("zone-name", nil, .zone, default: "_defaultZone", "Record zone")
  static let type = Option("record-type", nil, .type, "Record type")
  static let filters = Option(
    "filters", nil, ValueKind<String>.text("FILTER"), takesMany: true,
    "Filters, FIELD OPERATOR VALUE, combined with AND")

  /// The options that choose the container.
  static let place = [AnyOption(token), AnyOption(team), AnyOption(container)]
  /// The options that choose the container, the database and the zone.
  static let data = place + [AnyOption(database), AnyOption(zone)]
}

/// The environment, database and zone of a cktool verb.
struct CKToolPlace {
  let arguments: Arguments
  let context: Context

  init(_ arguments: Arguments, _ context: Context) {
    self.arguments = arguments
    self.context = context
    if context.settings.isSet(GlobalOptions.verbose),
      arguments[CKToolOptions.token] != nil || arguments[CKToolOptions.team] != nil
    {
      context.report("the local store ignores teams and tokens")
    }
  }

  /// The environment that `--environment` names.
  func environment(_ environment: Environment? = nil) throws -> CloudEnvironment {
    guard let container = arguments[CKToolOptions.container] else {
      throw CommandError("--container-id is missing", .usage)
    }
    let store = try context.store()
    return try context.environment(
      container, environment ?? context.settings.environment(), in: store)
  }

  func database() throws -> CloudDatabase {
    guard let scope = arguments[CKToolOptions.database] else {
      throw CommandError("--database-type is missing", .usage)
    }
    return try environment().database(scope)
  }

  var zone: ZoneID { arguments[CKToolOptions.zone] ?? .defaultZone }

  func type() throws -> RecordType {
    guard let type = arguments[CKToolOptions.type] else {
      throw CommandError("--record-type is missing", .usage)
    }
    return type
  }
}
