internal import Basics
internal import CloudModel

/// Reports the faults of a fixture.
struct FixtureReport {
  let faults: [FixtureFault]
  /// The files, indexed by the source of a position.
  let sources: [String]

  /// Writes `file:line:column: error: text` for each fault to `output`, or rows or JUnit XML to
  /// standard output.
  func write(suite: String, asJUnit: Bool, _ context: Context, to output: ByteOutput) throws {
    if asJUnit {
      return context.output.write(JUnitReport.text(suite: suite, faults.map(failure)))
    }
    guard context.settings.explicitFormat == nil else { return try writeRows(context) }
    for fault in faults {
      output.line("\(place(fault)): error: \(text(fault))".visible)
      if let hint = fault.error.hint { output.line("  hint: \(hint)".visible) }
    }
  }

  private func writeRows(_ context: Context) throws {
    let rows = try RowOutput(
      context, noun: "error",
      columns: ["file", "line", "column", "code", "number", "recordName", "message", "hint"])
    for fault in faults {
      rows.row([
        .string(sources[fault.position.source]), .int(Int64(fault.position.line)),
        .int(Int64(fault.position.column)), .string(fault.error.code.name),
        .int(Int64(fault.error.code.rawValue)),
        fault.error.recordName.map { .string($0) } ?? .null, .string(fault.error.message),
        fault.error.hint.map { .string($0) } ?? .null,
      ])
    }
    rows.finish()
  }

  private func failure(_ fault: FixtureFault) -> JUnitReport.Failure {
    JUnitReport.Failure(
      kind: fault.error.code.name, subject: fault.error.recordName ?? place(fault),
      file: sources[fault.position.source], line: fault.position.line, message: text(fault),
      details: place(fault) + (fault.error.hint.map { "\nhint: \($0)" } ?? ""))
  }

  private func place(_ fault: FixtureFault) -> String {
    "\(sources[fault.position.source]):\(fault.position.text)"
  }

  private func text(_ fault: FixtureFault) -> String {
    (fault.error.recordName.map { "\($0): " } ?? "") + fault.error.message
  }

  /// Reports the faults on standard error, or as rows or JUnit XML, and returns the error of the
  /// command that failed because of them.
  func refusal(
    _ text: String, of suite: String, asJUnit: Bool, _ context: Context
  ) throws -> CommandError {
    try write(suite: suite, asJUnit: asJUnit, context, to: context.surroundings.errors)
    return error(text)
  }

  private func error(_ text: String) -> CommandError {
    var error = CommandError("\(text): \(faults.count.counted("error"))", .data)
    let codes = Set(faults.map(\.error.exitCode))
    if codes.count == 1, let code = codes.first { error.exitCode = code }
    var cloud = faults.count == 1 ? faults[0].error : CloudError(.partialFailure, error.text)
    if faults.count > 1 { cloud.items = faults.map(\.error) }
    error.cloud = cloud
    return error
  }
}
