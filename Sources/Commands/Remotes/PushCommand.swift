internal import Basics
internal import CloudModel
internal import CloudServices
internal import CloudSync
internal import CommandKit
internal import FieldCodecs
internal import WireFormat

/// `ckdb push [NAME] [TYPE]`
enum PushCommand {
  /// The values of `--conflicts`.
  enum Conflicts: String, CaseIterable, Sendable {
    case keep
    case theirs
    case mine
    case ask
  }

  static let dryRun = Flag("dry-run", "Print the plan, and send nothing")
  static let conflicts = Option(
    "conflicts", nil, ValueKind<Conflicts>.choice("WHAT"), default: "keep",
    "Records changed on both sides: keep, theirs, mine, ask")
  static let deletes = Flag("delete", "Send deletions of many records, too")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(RemoteOperands.name), AnyOperand(RemoteOperands.type)],
      options: [AnyOption(dryRun), AnyOption(conflicts), AnyOption(deletes)],
      discussion: """
        Sends what was changed here since the last pull or push: zones, records, assets, and \
        deletions of records that were pulled or pushed before. Databases and the container are \
        chosen as for 'ckdb pull'. --dry-run prints the plan: a row for each record.

        A record that was changed on both sides is left as it is, and listed (exit code 3), unless \
        --conflicts decides: theirs takes the remote's version, mine replaces it, ask shows both. \
        More than a hundred deletions, or those of more than a tenth of a type, need --delete. A \
        push to production needs --yes.

        The remote sets dates and creators. Shares and encrypted values are not pushed; the plan \
        counts them.
        """,
      examples: [
        .init("See what would be sent", "ckdb push --dry-run"),
        .init("Seed a development container", "ckdb push lab"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let operands = try RemoteOperands(arguments, context)
    let settings = try context.remote(operands.name)
    if settings.environment == .production, !arguments[dryRun],
      !context.settings.isSet(GlobalOptions.yes)
    {
      throw CommandError("\(settings.name.text) is production; add --yes", .usage)
    }
    do {
      let work = try RemoteWork(settings, context)
      defer { work.finish() }
      let environment = try work.environment(creating: false)
      if let type = operands.type { _ = try SchemaFields.require(type, environment) }
      let hold = try environment.holdForRemotes()
      defer { withExtendedLifetime(hold) {} }
      let pushes = try work.scopes().map { scope in
        let (remote, copy) = try work.databases(scope, environment)
        return ScopedPush(
          scope: scope,
          push: Push(remote, of: copy, zones: try work.zones(), type: operands.type))
      }
      let plans = try plans(pushes, settles: !arguments[dryRun])
      if arguments[dryRun] {
        try PushPlanReport(plans, context).write()
        let hasConflicts = plans.contains { $0.plans.contains { !$0.conflicts.isEmpty } }
        if hasConflicts { throw QuietExit(code: .partial) }
        return
      }
      try checkDeletions(plans, arguments)
      PushPlanReport(plans, context).warn()
      try push(pushes, plans, work, arguments, context)
    } catch { throw CommandError.remote(error, settings) }
  }

  struct ScopedPush {
    let scope: DatabaseScope
    let push: Push
  }

  typealias Plans = [(scope: DatabaseScope, plans: [PushPlan])]

  private static func plans(_ pushes: [ScopedPush], settles: Bool) throws -> Plans {
    try pushes.map { item in
      if settles { try item.push.settle() }
      return (item.scope, try item.push.plan())
    }
  }

  /// Refuses many deletions without `--delete`.
  private static func checkDeletions(_ plans: Plans, _ arguments: Arguments) throws {
    if arguments[deletes] { return }
    let all = plans.flatMap(\.plans)
    let total = all.reduce(0) { $0 + $1.deletions.count }
    var items: [String] = []
    for (scope, plans) in plans {
      for plan in plans {
        let place = "\(scope.name)/\(plan.zone.text)"
        if plan.isDeletedZone {
          items.append("\(place): the zone with \(plan.deletions.count.counted("record"))")
          continue
        }
        for (type, count) in plan.massDeletions(areMany: total > PushPlan.mostDeletions) {
          let known = type.flatMap { plan.known[$0] }.map { " of \($0)" } ?? ""
          items.append("\(place): \(count)\(known) \(type?.text ?? "records")")
        }
      }
    }
    if items.isEmpty { return }
    var error = CommandError("the push would delete many records", .data)
    error.items = items
    error.cut()
    error.hint = "if they are to be deleted on the remote, add --delete"
    throw error
  }

  private static func push(
    _ pushes: [ScopedPush], _ plans: Plans, _ work: RemoteWork, _ arguments: Arguments,
    _ context: Context
  ) throws {
    let choice = arguments[conflicts] ?? .keep
    let chooser = choice == .keep ? nil : ConflictChooser(choice, context)
    var error = CommandError("some records were not pushed", .partial)
    var hasConflicts = false
    for (item, plan) in zip(pushes, plans) {
      let before = work.client.requestCount
      let summary = try item.push.run(
        plan.plans, checking: { try checkDeletions([(item.scope, $0)], arguments) },
        choosing: chooser.map { chooser in { try chooser.choose($0) } })
      report(summary, item.scope, work.client.requestCount - before, context)
      error.add(summary.conflicts, summary.faults, item.scope)
      hasConflicts = hasConflicts || !summary.conflicts.isEmpty
    }
    if error.items.isEmpty { return }
    error.cut()
    if hasConflicts { error.hint = "--conflicts mine, theirs or ask decides" }
    throw error
  }

  private static func report(
    _ summary: Push.Summary, _ scope: DatabaseScope, _ requests: Int, _ context: Context
  ) {
    var text =
      "\(scope.name): \(summary.created) created, \(summary.changed) changed, "
      + "\(summary.deleted) deleted"
    if summary.createdZones > 0 { text += ", zones created: \(summary.createdZones)" }
    if summary.deletedZones > 0 { text += ", zones deleted: \(summary.deletedZones)" }
    if summary.taken > 0 { text += ", taken from the remote: \(summary.taken)" }
    text += " (\(requests.counted("request"))"
    if summary.uploads > 0 { text += ", \(summary.uploads.counted("asset"))" }
    context.report(text + ")")
  }
}

/// Decides on conflicts.
struct ConflictChooser {
  private let conflicts: PushCommand.Conflicts
  private let context: Context

  init(_ conflicts: PushCommand.Conflicts, _ context: Context) {
    (self.conflicts, self.context) = (conflicts, context)
  }

  func choose(_ sides: ConflictSides) throws -> ConflictChoice {
    switch conflicts {
    case .keep: .keep
    case .theirs: .theirs
    case .mine: .mine
    case .ask: try ask(sides)
    }
  }

  private func ask(_ sides: ConflictSides) throws -> ConflictChoice {
    guard context.surroundings.inputIsTerminal, !context.settings.isSet(GlobalOptions.noInput)
    else {
      throw CommandError("--conflicts ask needs a terminal", .usage)
    }
    let errors = context.surroundings.errors
    errors.line(sides.conflict.text.visible)
    for line in sides.lines { errors.line("  \(line.visible)") }
    while true {
      errors.write("keep, theirs or mine? [k/t/m] ")
      errors.flush()
      guard let answer = try context.surroundings.input.typedLine() else {
        errors.line("")
        throw CommandError("cancelled", .no)
      }
      switch answer.lowercased() {
      case "k", "keep", "": return .keep
      case "t", "theirs": return .theirs
      case "m", "mine": return .mine
      default: continue
      }
    }
  }
}

extension ConflictSides {
  /// The fields that differ, one in a line.
  fileprivate var lines: [String] {
    guard let there else { return ["there: deleted"] }
    var theirs: [FieldName: FieldValue] = [:]
    for field in there.draft.fields { theirs[field.name] = field.value }
    guard let here else {
      return there.draft.fields.compactMap { field in
        field.value.map { "\(field.name.text): here deleted, there \($0.shown)" }
      }
    }
    let names = Set(here.fields.entries.map(\.name)).union(theirs.keys)
      .union(there.assets.map(\.name))
    var lines: [String] = []
    if here.parent?.text != there.draft.parent {
      lines.append(
        "parent: here \(here.parent?.text ?? "none"), there \(there.draft.parent ?? "none")")
    }
    for name in names.sorted(by: { utf8Precedes($0.text, $1.text) }) {
      let (mine, other) = (here.fields[name], theirs[name])
      let isAsset = there.assets.contains { $0.name == name }
      if mine == other, !isAsset { continue }
      let text = isAsset ? "an asset" : other.map(\.shown) ?? "none"
      lines.append("\(name.text): here \(mine.map(\.shown) ?? "none"), there \(text)")
    }
    return lines
  }
}

extension FieldValue {
  fileprivate var shown: String {
    let text = plainJSON.text
    return text.utf8.count > 200 ? String(text.prefix(200)) + "…" : text
  }
}
