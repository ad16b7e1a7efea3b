internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// The options of commands that show records as Core Data's objects, or save them so.
enum CoreDataOptions {
  static let coreData = Flag("core-data", "Show records as entities, attributes and relationships")
  static let model = Option(
    "model", nil, .file,
    "With --core-data: model of the objects; without it, relationships are guessed")

  static let all = [AnyOption(coreData), AnyOption(model)]

  static let importing = Flag("core-data", "Import Core Data's objects; needs --model")
  static let modelOfImport = Option(
    "model", nil, .file, "With --core-data: Core Data model of the objects")

  /// The model of an import; nil without `--core-data`. Throws `CommandError` for one without the
  /// other.
  static func mirrorOfImport(_ arguments: Arguments) throws -> MirroredModel? {
    guard arguments[importing] else { return try mirror(arguments) }
    guard let mirror = try mirror(arguments) else {
      throw CommandError(
        "--core-data needs --model", .usage,
        hint: "the model says how values and relationships are saved")
    }
    return mirror
  }

  /// The model of the option. Throws `CommandError` for a model without `--core-data`.
  static func mirror(_ arguments: Arguments) throws -> MirroredModel? {
    guard let path = arguments[model] else { return nil }
    guard arguments[coreData] else { throw CommandError("--model needs --core-data", .usage) }
    return try ModelDocument(path).mirror()
  }

  /// The view of the named zone's records, or of those in Core Data's zone; nil without
  /// `--core-data`. Damaged links are left out and listed.
  static func view(
    _ arguments: Arguments, _ context: Context, _ database: CloudDatabase, _ damage: DamageList
  ) throws -> ObjectView? {
    let mirror = try mirror(arguments)
    guard arguments[coreData] else { return nil }
    if context.settings.explicitFormat == .wire {
      throw CommandError("Core Data's objects cannot be written as wire", .usage)
    }
    return try ObjectView(
      database, zone: zone(context, database.scope), model: mirror, damaged: damage.note)
  }

  /// The zone that is named, or that of Core Data's mirror.
  static func zone(_ context: Context, _ scope: DatabaseScope) throws -> ZoneID {
    try context.namedZone() ?? scope.zoneOfCoreData
  }
}
