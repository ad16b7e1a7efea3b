internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb store doctor`, `ckdb doctor`
enum StoreDoctor {
  static let deep = Flag("deep", "Read all records, indexes and assets, too")

  /// The command, called by one of its two names.
  static func command(_ name: String) -> Command<Context> {
    Command(
      options: [AnyOption(deep)],
      discussion: """
        Looks at all containers and environments of the store: the pages and tables of the \
        databases, the files beside them and who may read these; with --deep also every record \
        against its checksum, what is kept beside the records (names, links, counts, indexes) \
        against them, and the contents of assets against their hashes. Each finding is a row: \
        'damage' is something lost, 'repairable' can be made as it should be, 'notice' does no \
        harm. The exit code is 0 without findings or with notices alone, 1 when all others are \
        repairable, 78 for damage.
        """,
      examples: [
        .init("Look at everything", "ckdb \(name) --deep")
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let checkups = try context.anyStore().examine(
      isDeep: arguments[deep], context.settings.conditions())
    let output = try RowOutput(
      context, noun: "finding",
      columns: ["severity", "code", "container", "environment", "subject", "detail"])
    for checkup in checkups {
      for finding in checkup.findings {
        output.row([
          .string(finding.code.severity.rawValue), .string(finding.code.rawValue),
          .string(checkup.container?.text ?? ""), .string(checkup.environment?.rawValue ?? ""),
          .string(finding.subject), .string(finding.detail),
        ])
      }
    }
    output.finish()
    try conclude(checkups, isDeep: arguments[deep], context)
  }

  private static func conclude(
    _ checkups: [Checkup], isDeep: Bool, _ context: Context
  ) throws {
    let findings = checkups.flatMap(\.findings)
    func count(_ severity: StoreFinding.Severity) -> Int {
      findings.count { $0.code.severity == severity }
    }
    let (damaged, repairable) = (count(.damage), count(.repairable))
    let environments = (checkups.count - 1).counted("environment")
    let read = isDeep ? ", \(checkups.reduce(0) { $0 + $1.records }.counted("record"))" : ""
    context.report(
      damaged + repairable == 0
        ? "\(environments)\(read): sound"
        : "\(environments)\(read): \(damaged) damaged, \(repairable) repairable")
    if damaged > 0 { throw QuietExit(code: .configuration) }
    if repairable > 0 { throw QuietExit(code: .no) }
  }
}
