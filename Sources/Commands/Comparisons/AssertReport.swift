internal import Basics
internal import CommandKit

/// The report of an assertion.
enum AssertReport {
  /// Prints lines that begin with - and +, or a JUnit report, even without differences.
  static func write(
    _ lines: [String], of what: String, _ message: String, _ path: String?,
    _ arguments: Arguments, _ context: Context
  ) throws {
    let subject = path ?? what
    if arguments[FixtureOptions.junit] {
      let failure = JUnitReport.Failure(
        kind: what, subject: subject, message: message, details: lines.joined(separator: "\n"))
      return context.output.write(
        JUnitReport.text(suite: "assert \(what)", lines.isEmpty ? [] : [failure]))
    }
    if lines.isEmpty { return }
    context.output.line("--- expected: \(subject)".visible)
    context.output.line("+++ found: store")
    for line in lines { context.output.line(line.visible) }
  }
}
