internal import Basics

/// Findings as JUnit XML for CI systems: a failed case for each, or one passed case for none.
enum JUnitReport {
  /// A case that failed.
  struct Failure {
    /// The kind of fault.
    var kind: String
    /// The item that has the fault.
    var subject: String
    var file: String?
    var line: Int?
    var message: String
    var details: String
  }

  static func text(suite: String, _ failures: [Failure]) -> String {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuite name="\(suite.asMarkup)" tests="\(max(1, failures.count))" \
      failures="\(failures.count)">

      """
    if failures.isEmpty { text += "  <testcase name=\"\(suite.asMarkup)\"/>\n" }
    for failure in failures {
      let file = failure.file.map { " file=\"\($0.asMarkup)\"" } ?? ""
      let line = failure.line.map { " line=\"\($0)\"" } ?? ""
      text += """
          <testcase classname="\(failure.kind.asMarkup)" name="\(failure.subject.asMarkup)"\
        \(file)\(line)>
            <failure message="\(failure.message.asMarkup)">\(failure.details.asMarkup)</failure>
          </testcase>

        """
    }
    return text + "</testsuite>\n"
  }
}
