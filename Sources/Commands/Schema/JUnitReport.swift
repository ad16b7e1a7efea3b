internal import CloudModel
internal import CloudServices

/// Findings as JUnit XML, which CI systems show: a failed case for each, a passed one for none.
enum JUnitReport {
  static func text(suite: String, _ faults: [SchemaFault]) -> String {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuite name="\(suite.escaped)" tests="\(max(1, faults.count))" \
      failures="\(faults.count)">

      """
    if faults.isEmpty { text += "  <testcase name=\"\(suite.escaped)\"/>\n" }
    for fault in faults {
      let subject = fault.field.map { "\(fault.type).\($0)" } ?? fault.type
      let name = subject.isEmpty ? fault.place : subject
      let missing = fault.missing.map { "\nadd: \($0)" } ?? ""
      text += """
          <testcase classname="\(fault.code.rawValue)" name="\(name.escaped)" \
        file="\(fault.source.escaped)"\(fault.position.map { " line=\"\($0.line)\"" } ?? "")>
            <failure message="\(fault.text.escaped)">\((fault.place + missing).escaped)</failure>
          </testcase>

        """
    }
    return text + "</testsuite>\n"
  }
}

extension String {
  /// The text as XML holds it; characters that XML cannot hold become U+FFFD.
  fileprivate var escaped: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "\n": text += "&#10;"
      case "\t", "\r": text += "&#\(scalar.value);"
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
