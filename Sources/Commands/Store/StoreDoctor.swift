internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import WireFormat

/// `ckdb store doctor`, `ckdb doctor`
enum StoreDoctor {
  static let deep = Flag("deep", "Also read all records, indexes and assets")
  static let repair = Flag("repair", "Repair what can be repaired; implies --deep")

  /// The command, called by one of its two names.
  static func command(_ name: String) -> Command<Context> {
    Command(
      options: [AnyOption(deep), AnyOption(repair)],
      discussion: """
        Checks all containers and environments of the store: the pages and tables of the \
        databases, the other files and their permissions; with --deep also every record against \
        its checksum, derived data (names, links, counts, indexes) against the records, and asset \
        contents against their hashes. Each finding is a row: 'damage' is lost data, 'repairable' \
        can be restored, 'notice' does no harm. The exit code is 0 without findings or with \
        notices only, 1 if all others are repairable, 78 for damage. -v also describes the SQLite \
        library.

        --repair rebuilds each damaged database from everything that can be read, and restores \
        everything else. Damaged files are moved to a directory next to the environment's, \
        ENVIRONMENT.damaged-N; lost and altered records, and those that lose an asset, are written \
        to its lost.jsonl as far as they can be read. The exit code is 0 if nothing was lost, and \
        78 otherwise; in both cases the store is sound afterwards, except for damaged snapshots: \
        each is a store of its own, which can be repaired or deleted.
        """,
      examples: [
        .init("Check everything", "ckdb \(name) --deep"),
        .init("Repair a store after disk damage", "ckdb \(name) --repair"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let store = try context.anyStore()
    let request = try context.request()
    let isRepair = arguments[repair]
    let checkups = try context.showingProgress(isRepair ? "repair" : "check") { progress in
      try isRepair
        ? store.repair(for: request, progress.meter)
        : store.examine(isDeep: arguments[deep], for: request, progress.meter)
    }
    let output = try RowOutput(
      context, noun: "finding",
      columns: ["severity", "code", "container", "environment", "subject", "detail"])
    for checkup in checkups {
      // The library's faults need -v: ckdb's own lock avoids them.
      let findings = checkup.findings.filter {
        $0.code != .library || context.settings.isSet(GlobalOptions.verbose)
      }
      for finding in findings {
        output.row([
          .string(finding.code.severity.rawValue), .string(finding.code.rawValue),
          .string(checkup.container?.text ?? ""), .string(checkup.environment?.rawValue ?? ""),
          .string(finding.subject),
          .string(finding.detail + (finding.remedy.map { "; \($0.hint)" } ?? "")),
        ])
      }
    }
    output.finish(isQuietIfEmpty: true)
    if isRepair { return try concludeRepair(checkups, context) }
    try conclude(checkups, isDeep: arguments[deep], context)
  }

  private static func conclude(
    _ checkups: [Checkup], isDeep: Bool, _ context: Context
  ) throws {
    let (damaged, repairable) = (count(.damage, checkups), count(.repairable, checkups))
    let environments = checkups.count { $0.environment != nil }.counted("environment")
    let read = isDeep ? ", \(checkups.reduce(0) { $0 + $1.records }.counted("record"))" : ""
    guard damaged + repairable > 0 else {
      return context.report("\(environments)\(read): sound")
    }
    context.report("\(environments)\(read): \(damaged) damaged, \(repairable) repairable")
    context.report("hint: ckdb doctor --repair repairs it, and keeps what it replaces")
    throw QuietExit(code: damaged > 0 ? .configuration : .no)
  }

  private static func count(_ severity: StoreFinding.Severity, _ checkups: [Checkup]) -> Int {
    checkups.reduce(0) { $0 + $1.findings.count { $0.code.severity == severity } }
  }

  // MARK: After a repair

  /// A record of which only the name is known.
  private static func name(of record: Record) -> JSONValue {
    .object([
      JSONMember("recordName", .string(record.name.text)),
      JSONMember("recordType", record.type.text.isEmpty ? .null : .string(record.type.text)),
      JSONMember("zone", .string(record.zone.text)), JSONMember("fields", .null),
    ])
  }

  private static func concludeRepair(_ checkups: [Checkup], _ context: Context) throws {
    for checkup in checkups {
      guard let folder = checkup.keptIn else { continue }
      context.report("the damaged files are in \(folder)")
      if checkup.lost.isEmpty { continue }
      let isReadable = { (lost: LostRecord) in !lost.record.fields.entries.isEmpty }
      let readable = checkup.lost.filter(isReadable)
      let path = "\(folder)/lost.jsonl"
      try OutputFile.write(path) { file in
        var bytes: [UInt8] = []
        for lost in readable {
          bytes.append(exported: lost.record, types: [:], withSystem: false)
          bytes.append(0x0A)
        }
        // An import must refuse these lines, rather than make empty records.
        for lost in checkup.lost where !isReadable(lost) {
          bytes.append(json: Self.name(of: lost.record))
          bytes.append(0x0A)
        }
        try file.writeAll(bytes)
      }
      let total = checkup.lost.count.counted("lost record")
      context.report("\(total), \(readable.count) with fields as far as readable: \(path)")
    }
    let found = count(.damage, checkups) + count(.repairable, checkups)
    guard checkups.contains(where: { !$0.isMended }) else {
      return context.report(found == 0 ? "sound" : "repaired; nothing was lost")
    }
    context.report("repaired as far as possible; some data was lost")
    throw QuietExit(code: .configuration)
  }
}
