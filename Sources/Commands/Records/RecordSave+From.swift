internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import WireFormat

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
      throw CommandError("\(name) cannot be used with --from", .usage)
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

  /// The records of the file as items. Throws for a syntax error; any other invalid record becomes
  /// an item that fails.
  private static func items(
    _ arguments: Arguments, _ context: Context, _ path: String, _ database: CloudDatabase
  ) throws -> [ModifyRequest.Item] {
    let type = arguments[type]
    let file = path == "-" ? context.surroundings.input : try FileHandle(open: path, O_RDONLY)
    let source = try DraftSource(
      file, TextFormat.ofInput(path, context.settings), .identity,
      schemas: database.environment.schema(), type: type)
    let requests = DraftRequests(
      in: database.scope, type: type, zone: try context.zone(),
      policy: arguments[policy] ?? .unchanged,
      replacesFields: arguments[replace])
    var shares = 0
    defer { context.reportSkipped(shares: shares) }
    return try source.drafts(atMost: Limits.operationItems + 1).compactMap { draft in
      switch draft {
      case .success(let draft) where draft.isShare:
        shares += 1
        return nil
      case .success(let draft): return requests.item(draft)
      case .failure(let fault) where fault.isSyntax:
        throw CommandError("\(path):\(fault.position.text): \(fault.error.message)", .data)
      case .failure(let fault):
        var error = fault.error
        error.message = "\(path):\(fault.position.text): \(error.message)"
        return requests.refused(error, fault.name, in: fault.zone.flatMap { try? ZoneID($0) })
      }
    }
  }
}

extension Record {
  /// The record in messages: type, name and tag.
  var description: String { "\(type.text) \(name.text) (tag \(changeTag?.text ?? ""))" }
}
