internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// `ckdb record save [TYPE] --from FILE`: many records in one operation.
extension RecordSave {
  static func saveAll(_ arguments: Arguments, _ context: Context, from path: String) throws {
    for (isGiven, name) in [
      (arguments[name] != nil, "--name"), (arguments[tag] != nil, "--tag"),
      (arguments[parent] != nil, "--parent"),
      (!arguments.all(assignments).isEmpty, "FIELD=VALUE"),
    ] where isGiven {
      throw CommandError("\(name) does not go with --from", .usage)
    }
    let database = try context.database()
    let items = try items(arguments, context, path, database)
    var request = ModifyRequest(items, isAtomic: try BatchOptions.isAtomic(arguments))
    request.clientToken = arguments[BatchOptions.clientToken]
    let result = try database.modify(request)
    context.report(result.notices)
    for saved in result.saved {
      context.report("saved \(saved.record.description)")
    }
    if result.deletedCount > 0 {
      context.report("deleted \(result.deletedCount.counted("record"))")
    }
    if let format = context.settings.explicitFormat {
      let schema = try database.environment.schema()
      let types = Set(result.saved.map(\.record.type))
      let layout = RecordOutput.Layout(allOf: schema.filter { types.contains($0.name) })
      let output = try RecordOutput(context, arguments, layout, as: format)
      for saved in result.saved { output.write(saved.record) }
      output.finish()
    }
    if let error = result.error { throw CommandError(batch: error, advice: .changeTagOrPolicy) }
  }

  /// The records of the file as items. Throws for a text that is not of its format; a record
  /// that is at fault is an item that fails.
  private static func items(
    _ arguments: Arguments, _ context: Context, _ path: String, _ database: CloudDatabase
  ) throws -> [ModifyRequest.Item] {
    let type = arguments[type]
    let file = path == "-" ? context.surroundings.input : try FileHandle(open: path, O_RDONLY)
    let source = try DraftSource(
      file, TextFormat.ofInput(path, context.settings), .identity,
      schemas: database.environment.schema(), type: type)
    let zone = try context.zone()
    return try source.drafts(atMost: Limits.operationItems + 1).map { draft in
      switch draft {
      case .success(let draft): return try item(draft, arguments, type, zone)
      case .failure(let fault) where fault.isSyntax:
        throw CommandError("\(path):\(fault.position.text): \(fault.error.message)", .data)
      case .failure(let fault):
        var error = fault.error
        error.message = "\(path):\(fault.position.text): \(error.message)"
        return refused(error, fault.name, fault.zone, zone)
      }
    }
  }

  private static func item(
    _ draft: RecordDraft, _ arguments: Arguments, _ type: RecordType?, _ zone: ZoneName
  ) throws -> ModifyRequest.Item {
    do {
      if draft.isDeletion { return try deletion(draft, zone) }
      guard let type = try draft.type.map({ try RecordType($0) }) ?? type else {
        throw CloudError(
          .invalidArguments, "the record has no recordType, and no TYPE is given")
      }
      let assignments = try draft.fields.map { field in
        FieldAssignment(
          try FieldName(field.name.text), field.value, type: field.type, isPlain: true)
      }
      let request = SaveRequest(
        name: try draft.name.map { try RecordName($0) }, type: type, assignments: assignments,
        tag: draft.changeTag.map { ChangeTag(given: $0) },
        policy: arguments[policy] ?? .unchanged, replacesFields: arguments[replace],
        parent: try draft.parent.map { try RecordName($0) }, removesParent: draft.removesParent)
      let zone = try draft.zone.map { try ZoneName($0) } ?? zone
      if let foreign = draft.foreignReference(to: zone) { throw foreign.error }
      return ModifyRequest.Item(.save(request), in: zone)
    } catch let error as CloudError {
      return refused(error, draft.name, draft.zone, zone)
    }
  }

  private static func deletion(
    _ draft: RecordDraft, _ zone: ZoneName
  ) throws(CloudError) -> ModifyRequest.Item {
    guard let name = draft.name else {
      throw CloudError(.invalidArguments, "a record that is to be deleted has a recordName")
    }
    let zone = try draft.zone.map { (name) throws(CloudError) in try ZoneName(name) } ?? zone
    let tag = draft.changeTag.map { ChangeTag(given: $0) }
    return ModifyRequest.Item(.delete(try RecordName(name), tag: tag), in: zone)
  }

  /// An item that fails, in the record's zone where it names a possible one.
  private static func refused(
    _ error: CloudError, _ name: String?, _ zoneText: String?, _ zone: ZoneName
  ) -> ModifyRequest.Item {
    var error = error
    error.recordName = error.recordName ?? name
    let named = zoneText.flatMap { try? ZoneName($0) }
    return ModifyRequest.Item(.refused(error), in: named ?? zone)
  }
}

extension Record {
  /// How a message names a saved record: type, name and tag.
  var description: String { "\(type.text) \(name.text) (tag \(changeTag?.text ?? ""))" }
}
