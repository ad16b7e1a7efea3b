internal import Basics
internal import CloudModel
internal import PredicateLanguage

extension Context {
  /// Reports the findings on a query, each on one line with a caret.
  ///
  /// Without a predicate, prints the findings only on request (M6). With `--strict`, prints nothing
  /// about a query that will be refused.
  func report(_ findings: [Finding], in text: String, isOmitted: Bool) {
    let isStrict = settings.isSet(GlobalOptions.strict)
    if isStrict, findings.contains(where: { $0.severity == .error }) { return }
    let isAsked = isStrict || settings.isSet(GlobalOptions.verbose)
    let told = findings.filter { !isOmitted || isAsked || $0.code == .sortable }
    for finding in told.prefix(Self.mostFindings) {
      warn(finding.line)
      guard let span = finding.span, !isOmitted else { continue }
      let caret = CommandError.Caret(text: text, span: span)
      for line in caret.lines(width: errorsWidth) { report(line) }
    }
    if told.count > Self.mostFindings {
      warn("\(told.count - Self.mostFindings) more; 'ckdb predicate check' lists all")
    }
  }

  /// The maximum number of findings to report.
  private static let mostFindings = 10
}

extension Finding {
  /// The finding in one line.
  var line: String {
    let text =
      switch (code.subject, severity) {
      case (.meaning, _): message
      case (.form, .error), (.schema, .error): "works here; CloudKit would refuse: \(message)"
      case (.schema, .warning): "works differently in CloudKit: \(message)"
      case (.form, .warning): "works here; it is unknown whether CloudKit would refuse: \(message)"
      }
    return "\(text) (\(code.rawValue))" + (remedy.map { "; \($0.hint)" } ?? "")
  }

  /// The finding as an object; the span is in bytes of the predicate's text.
  var json: JSONValue {
    var members = [
      JSONMember("code", .string(code.rawValue)),
      JSONMember("severity", .string(severity.rawValue)),
      JSONMember("message", .string(message)),
    ]
    if let remedy { members.append(JSONMember("hint", .string(remedy.hint))) }
    if let span {
      members.append(JSONMember("start", .int(Int64(span.lowerBound))))
      members.append(JSONMember("end", .int(Int64(span.upperBound))))
    }
    return .object(members)
  }
}
