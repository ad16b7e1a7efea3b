internal import Basics
internal import CloudModel
internal import CloudServices
internal import CloudSync
internal import CommandKit
internal import Fixtures

/// `ckdb remote check [NAME]`
enum RemoteCheck {
  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(RemoteNoun.optionalName)],
      discussion: """
        Signs in, compares the clocks, lists the zones, and asks for the first record of each type \
        of the schema here, as a pull of the public database does. For a missing index it prints \
        the line that the schema needs. Exit code 1 if a pull would fail.
        """,
      examples: [.init("Check a remote", "ckdb remote check lab")], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let settings = try context.remote(arguments[RemoteNoun.optionalName])
    do {
      let work = try RemoteWork(settings, context, signsIn: false)
      defer { work.finish() }
      let types = try context.storeIfAny() == nil ? [] : knownTypes(work)
      let findings = try RemoteExamination(work.client).run(types: types)
      let output = try RowOutput(
        context, noun: "check", columns: ["check", "result", "details", "line"])
      for finding in findings {
        output.row([
          .string(finding.subject), .string(finding.isGood ? "ok" : "failed"),
          .string(finding.details), finding.line.map { .string($0) } ?? .null,
        ])
      }
      output.finish()
      for finding in findings {
        // A table may cut it.
        if let line = finding.line {
          context.report("the schema needs for \(finding.subject): \(line)")
        }
      }
      if findings.contains(where: { !$0.isGood }) { throw QuietExit(code: .no) }
    } catch { throw CommandError.remote(error, settings) }
  }

  private static func knownTypes(_ work: RemoteWork) throws -> [RecordType] {
    do { return try work.environment(creating: false).pulledTypes() } catch let error as CloudError
      where error.code == .badContainer
    { return [] }
  }
}

/// `ckdb remote diff [NAME]`
enum RemoteDiff {
  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(RemoteNoun.optionalName)],
      options: [AnyOption(AssertCommand.ignore), AnyOption(FixtureOptions.junit)],
      discussion: """
        Compares the records here with all of a remote, as 'ckdb diff' compares stores: the \
        remote's values have a '-', those here a '+'. The remote is pulled into a temporary store \
        for it. Databases and the container are chosen as for 'ckdb pull'. Exit code 1 if \
        something differs.
        """,
      examples: [.init("Compare with a remote", "ckdb remote diff lab -d public")], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let settings = try context.remote(arguments[RemoteNoun.optionalName])
    do {
      let work = try RemoteWork(settings, context)
      defer { work.finish() }
      try compare(work, arguments, context)
    } catch { throw CommandError.remote(error, settings) }
  }

  private static func compare(
    _ work: RemoteWork, _ arguments: Arguments, _ context: Context
  ) throws {
    let here = try work.environment(creating: false)
    let (scopes, zones) = (try work.scopes(), try work.zones())
    let ignored = AssertCommand.ignored(arguments)
    let report = try DifferenceReport(
      expected: work.settings.name.text, found: "store", suite: "remote diff",
      asJUnit: arguments[FixtureOptions.junit], context)
    var refused: [Pull.RefusedType] = []
    try TemporaryStore.with(context) { store in
      _ = try store.create(here.container, for: context.request())
      let there = try store.environment(
        here.container, here.environment, for: context.request())
      for scope in scopes {
        let (remote, copy) = try work.databases(scope, there)
        var options = Pull.Options {
          // Both sides: a type may be on one of them only.
          let own = try here.pulledTypes()
          return own + (try there.pulledTypes()).filter { !own.contains($0) }
        }
        options.zones = zones
        let summary = try context.showingProgress("pull \(scope.name)") { progress in
          try Pull(remote, into: copy, options, progress.meter).run()
        }
        refused += summary.refused
      }
      try there.database(.private).differences(
        from: here.database(.private), ignoring: ignored
      ) { difference in
        // The private zones of other accounts are not those of the remote's user.
        let isOwn = difference.zone.owner == .current || difference.scope != .private
        let isWanted = isOwn && zones.map { $0.contains(difference.zone) } ?? true
        if isWanted, scopes.contains(difference.scope) { report.write(difference) }
      }
    }
    report.finish()
    if let first = refused.first {
      throw CommandError(
        "\(first.type.text) could not be compared: \(first.error.code): \(first.error.reason)",
        .partial)
    }
    guard report.count == 0 else {
      context.report(report.count.counted("difference"))
      throw QuietExit(code: .no)
    }
    context.report("no differences")
  }
}
