internal import Basics
internal import CloudModel
internal import CloudServices
internal import CloudSync
internal import CommandKit

/// `ckdb pull [NAME] [TYPE]`
enum PullCommand {
  static let dryRun = Flag("dry-run", "Report what would happen without keeping anything")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(RemoteOperands.name), AnyOperand(RemoteOperands.type)],
      options: [AnyOption(dryRun)],
      discussion: """
        Brings zones, records and assets of a remote into the store, or what has changed since the \
        last pull. A pull that was interrupted goes on where it was. -d names a database; without \
        it, the public one is pulled, and the private one if the credentials reach it. -C and -e \
        name the container here; it is otherwise the remote's, and is created. What 'ckdb use' has \
        chosen does not select what is pulled or pushed.

        Custom zones have change feeds. The public database and default zones have none: they are \
        asked for the records of each type, in the order of their creation, which needs \
        an index ('ckdb remote check'). The types are those of the schema here, or TYPE.

        '-d shared' pulls the zones that others share with the remote's user. The copies are \
        read-only.

        A record that was changed here since the last pull is left as it is, and listed (exit code \
        3). Record types and fields that the schema does not have are added. Shares are not pulled.
        """,
      examples: [
        .init("Pull from the only remote", "ckdb pull"),
        .init("Pull the places of the public database", "ckdb pull lab Place -d public"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let operands = try RemoteOperands(arguments, context)
    let settings = try context.remote(operands.name)
    do {
      let work = try RemoteWork(settings, context)
      defer { work.finish() }
      try pull(work, operands, isRehearsal: arguments[dryRun], context)
    } catch { throw CommandError.remote(error, settings) }
  }

  private static func pull(
    _ work: RemoteWork, _ operands: RemoteOperands, isRehearsal: Bool, _ context: Context
  ) throws {
    let (scopes, type) = (try work.scopes(includingShared: true), operands.type)
    if let type {
      let zone = try work.zones()?.first
      guard scopes != [.shared], zone ?? .defaultZone == .defaultZone else {
        let word = operands.name == nil ? ", which is not a remote" : ""
        throw CommandError(
          "a zone with a change feed is pulled whole", .usage,
          hint: "leave out the type \(type.text)\(word)")
      }
    }
    let environment = try work.environment(creating: true)
    let hold = try environment.holdForRemotes()
    defer { withExtendedLifetime(hold) {} }
    var report = PullReport(type, isRehearsal: isRehearsal)
    for scope in scopes {
      let (remote, copy) = try work.databases(scope, environment)
      var options = Pull.Options { try type.map { [$0] } ?? environment.pulledTypes() }
      options.zones = try work.zones()
      options.includesFeeds = type == nil
      options.isRehearsal = isRehearsal
      let before = work.client.requestCount
      let summary = try context.showingProgress("pull \(scope.name)") { progress in
        try Pull(remote, into: copy, options, progress.meter).run()
      }
      report.add(summary, scope, requests: work.client.requestCount - before)
      if scope == .public, summary.queried.isEmpty, try work.zones() == nil {
        context.warn(
          "no record types are known here, so that nothing of the public database was pulled: "
            + "name one, or import the schema")
      }
    }
    try report.finish(context)
  }
}

extension CloudEnvironment {
  /// The types whose records a pull asks for in zones without a feed.
  func pulledTypes() throws -> [RecordType] {
    try fullSchema().types.map(\.name).filter { $0 != .users && $0 != .share }
  }
}

/// What a pull reports.
struct PullReport {
  let isRehearsal: Bool
  /// The type that was named; nil for all.
  let type: RecordType?
  private var parts: [(scope: DatabaseScope, summary: Pull.Summary, requests: Int)] = []

  init(_ type: RecordType?, isRehearsal: Bool) {
    (self.type, self.isRehearsal) = (type, isRehearsal)
  }

  mutating func add(_ summary: Pull.Summary, _ scope: DatabaseScope, requests: Int) {
    parts.append((scope, summary, requests))
  }

  /// Prints the report. Throws `CommandError` if something was not taken over.
  func finish(_ context: Context) throws {
    if context.settings.explicitFormat != nil { try writeRows(context) }
    for part in parts { report(part, context) }
    let conflicts = parts.flatMap(\.summary.result.conflicts)
    let faults = parts.flatMap(\.summary.result.faults)
    let refused = parts.flatMap(\.summary.refused)
    if conflicts.isEmpty, faults.isEmpty, refused.isEmpty { return try requireNamed() }
    var error = CommandError("some records were not pulled", .partial)
    for (scope, summary, _) in parts {
      error.add(summary.result.conflicts, summary.result.faults, scope)
      error.items += summary.refused.map {
        "\(scope.name)/\($0.type.text): \($0.error.code): \($0.error.reason)"
      }
    }
    error.cut()
    if !refused.isEmpty { error.hint = "'ckdb remote check' shows which indexes are missing" }
    if let advice = faults.lazy.compactMap(\.hint).first { error.hint = advice }
    if !conflicts.isEmpty { error.hint = "'ckdb push --conflicts mine|theirs|ask' decides" }
    throw error
  }

  /// Throws if the remote does not have the zone or type that was named.
  private func requireNamed() throws {
    if let zone = parts.lazy.flatMap(\.summary.unknownZones).first {
      throw CommandError("the remote has no zone \(zone.text)", .no)
    }
    if let type, parts.allSatisfy({ $0.summary.absent.contains(type) }) {
      throw CommandError("the remote has no record type \(type.text)", .no)
    }
  }

  private func report(
    _ part: (scope: DatabaseScope, summary: Pull.Summary, requests: Int), _ context: Context
  ) {
    let result = part.summary.result
    for found in result.inferred {
      switch found {
      case .type(let type): context.report("new record type \(type.text), inferred from records")
      case .field(let type, let field):
        context.report("new field \(field.name.text) of \(type.text): \(field.type.schemaName)")
      }
    }
    var text =
      "\(part.scope.name): \(result.created) created, \(result.changed) changed, "
      + "\(result.deleted) deleted, \(result.unchanged) unchanged"
    if result.createdZones > 0 { text += ", zones created: \(result.createdZones)" }
    if result.deletedZones > 0 { text += ", zones deleted: \(result.deletedZones)" }
    if result.shares > 0 { text += ", shares left out: \(result.shares)" }
    text += " (\(part.requests.counted("request"))"
    if part.summary.downloads > 0 { text += ", \(part.summary.downloads.counted("asset"))" }
    context.report(text + (isRehearsal ? "; dry run)" : ")"))
  }

  private func writeRows(_ context: Context) throws {
    let output = try RowOutput(
      context, noun: "database",
      columns: [
        "database", "created", "changed", "deleted", "unchanged", "conflicts", "faults",
        "requests", "assets",
      ])
    for (scope, summary, requests) in parts {
      let result = summary.result
      output.row([
        .string(scope.name), .int(Int64(result.created)), .int(Int64(result.changed)),
        .int(Int64(result.deleted)), .int(Int64(result.unchanged)),
        .int(Int64(result.conflicts.count)),
        .int(Int64(result.faults.count + summary.refused.count)), .int(Int64(requests)),
        .int(Int64(summary.downloads)),
      ])
    }
    output.finish()
  }
}

extension PullConflict {
  /// The conflict in words.
  var text: String {
    "\(zone.text)/\(name.text): \(here.rawValue) here, \(there.rawValue) there"
  }
}

extension CommandError {
  /// Adds the records that were not copied, each once.
  mutating func add(
    _ conflicts: [PullConflict], _ faults: [CloudError], _ scope: DatabaseScope
  ) {
    let lines =
      conflicts.map(\.text)
      + faults.map { fault in
        let place = [fault.zone?.text, fault.recordName].compactMap(\.self)
        return "\(place.joined(separator: "/")): \(fault.message)"
      }
    var known = Set(items)
    for line in lines.map({ "\(scope.name)/\($0)" }) where known.insert(line).inserted {
      items.append(line)
    }
  }

  /// Cuts a long list of items.
  mutating func cut() {
    let most = 20
    guard items.count > most else { return }
    items = items.prefix(most) + ["and \(items.count - most) more"]
  }
}
