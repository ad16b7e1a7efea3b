internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// Prints the plan of a push.
struct PushPlanReport {
  private let plans: PushCommand.Plans
  private let context: Context

  init(_ plans: PushCommand.Plans, _ context: Context) {
    (self.plans, self.context) = (plans, context)
  }

  /// Prints a row for each record and each zone, and what cannot be pushed.
  func write() throws {
    let output = try RowOutput(
      context, noun: "change",
      columns: ["recordName", "recordType", "action", "database", "zone", "reason"])
    for (scope, plans) in plans {
      for plan in plans { write(plan, scope, output) }
    }
    output.finish()
    warn()
    for (scope, plans) in plans {
      let saves = plans.flatMap(\.saves)
      context.report(
        "\(scope.name): \(saves.count { $0.tag == nil }) to create, "
          + "\(saves.count { $0.tag != nil }) to change, "
          + "\(plans.reduce(0) { $0 + $1.deletions.count }) to delete, "
          + "\(plans.reduce(0) { $0 + $1.conflicts.count }) in conflict (dry run)")
    }
  }

  private func write(_ plan: PushPlan, _ scope: DatabaseScope, _ output: RowOutput) {
    func row(_ name: String?, _ type: RecordType?, _ action: String, _ reason: String? = nil) {
      output.row([
        name.map { .string($0) } ?? .null, type.map { .string($0.text) } ?? .null, .string(action),
        .string(scope.name), .string(plan.zone.text), reason.map { .string($0) } ?? .null,
      ])
    }
    if plan.isNewZone { row(nil, nil, "create zone") }
    if plan.isDeletedZone { row(nil, nil, "delete zone") }
    for save in plan.saves {
      row(save.name.text, save.type, save.tag == nil ? "create" : "change")
    }
    for deletion in plan.deletions { row(deletion.name.text, deletion.type, "delete") }
    for conflict in plan.conflicts {
      row(
        conflict.name.text, nil, "conflict",
        "\(conflict.here.rawValue) here, \(conflict.there.rawValue) there")
    }
  }

  /// Says what cannot be pushed.
  func warn() {
    let all = plans.flatMap(\.plans)
    if all.contains(where: { !$0.saves.isEmpty }) {
      context.report("dates and creators of the pushed records are set by the remote")
    }
    let shares = all.reduce(0) { $0 + $1.shares }
    if shares > 0 { context.warn("\(shares.counted("share")) cannot be pushed") }
    var encrypted: [EncryptedField: Int] = [:]
    for plan in all { encrypted.merge(plan.encrypted) { $0 + $1 } }
    for (field, count) in encrypted.sorted(by: {
      utf8Precedes(
        "\($0.key.type.text).\($0.key.field.text)", "\($1.key.type.text).\($1.key.field.text)")
    }) {
      context.warn(
        "encrypted values cannot be pushed: \(field.type.text).\(field.field.text) of "
          + count.counted("record"))
    }
  }
}
