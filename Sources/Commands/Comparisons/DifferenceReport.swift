internal import Basics
internal import CloudModel
internal import WireFormat

/// Writes differences as they come: as a unified diff, as rows, or as JUnit XML.
final class DifferenceReport {
  /// The files, indexed by the source of a position.
  var sources: [String] = []
  /// How many differences were written.
  private(set) var count = 0

  private let expected: String
  private let found: String
  private let output: ByteOutput
  private let style: TextStyle
  private let form: Form
  /// The subject of the last hunk.
  private var subject: String?
  private var failures: [JUnitReport.Failure] = []

  private enum Form {
    case text
    case rows(RowOutput)
    case junit(suite: String)
  }

  /// A report on two sides with labels.
  init(
    expected: String, found: String, suite: String, asJUnit: Bool, _ context: Context
  ) throws {
    (self.expected, self.found) = (expected, found)
    (output, style) = (context.output, context.style)
    if asJUnit {
      form = .junit(suite: suite)
    } else if context.settings.explicitFormat != nil {
      form = .rows(
        try RowOutput(
          context, noun: "difference",
          columns: [
            "database", "zone", "recordName", "recordType", "field", "expected", "found", "file",
            "line", "column",
          ]))
    } else {
      form = .text
    }
  }

  func write(_ difference: RecordDifference) {
    switch form {
    case .text: writeText(difference)
    case .rows(let rows): rows.row(row(difference))
    case .junit: failures.append(failure(difference))
    }
    count += 1
  }

  func finish() {
    switch form {
    case .text: break
    case .rows(let rows): rows.finish()
    case .junit(let suite): output.write(JUnitReport.text(suite: suite, failures))
    }
  }

  // MARK: Text

  private func writeText(_ difference: RecordDifference) {
    if count == 0 {
      output.line(style("--- \(expected)".visible, .removed))
      output.line(style("+++ \(found)".visible, .added))
    }
    let path = path(difference)
    if path != subject {
      let place = place(difference).map { " \($0)" } ?? ""
      output.line(style("@@ \(path) @@\(place)".visible, .hint))
    }
    subject = path
    for line in lines(difference) {
      output.line(style(line.visible, line.hasPrefix("+") ? .added : .removed))
    }
  }

  private func lines(_ difference: RecordDifference) -> [String] {
    let label = difference.subject.name.map { "\($0): " } ?? ""
    let none = difference.subject == .presence ? nil : "(none)"
    return [("-", difference.expected), ("+", difference.found)].compactMap { mark, side in
      (side?.text ?? none).map { mark + label + $0 }
    }
  }

  /// `private/_defaultZone/b1 (Book)`.
  private func path(_ difference: RecordDifference) -> String {
    var path = "\(difference.scope.name)/\(difference.zone.text)"
    if let record = difference.record { path += "/\(record.text)" }
    if let type = difference.type { path += " (\(type.text))" }
    return path
  }

  private func place(_ difference: RecordDifference) -> String? {
    difference.position.map { "\(sources[$0.source]):\($0.text)" }
  }

  // MARK: For programs

  private func row(_ difference: RecordDifference) -> [JSONValue] {
    let position = difference.position
    return [
      .string(difference.scope.name), .string(difference.zone.text),
      difference.record.map { .string($0.text) } ?? .null,
      difference.type.map { .string($0.text) } ?? .null,
      difference.subject.name.map { .string($0) } ?? .null, difference.expected?.json ?? .null,
      difference.found?.json ?? .null, position.map { .string(sources[$0.source]) } ?? .null,
      position.map { .int(Int64($0.line)) } ?? .null,
      position.map { .int(Int64($0.column)) } ?? .null,
    ]
  }

  private func failure(_ difference: RecordDifference) -> JUnitReport.Failure {
    let subject = difference.subject.name.map { ".\($0)" } ?? ""
    return JUnitReport.Failure(
      kind: difference.type?.text ?? difference.scope.name,
      subject: (difference.record?.text ?? difference.zone.text) + subject,
      file: difference.position.map { sources[$0.source] }, line: difference.position?.line,
      message: summary(difference),
      details: ([path(difference)] + lines(difference)).joined(separator: "\n"))
  }

  private func summary(_ difference: RecordDifference) -> String {
    switch (difference.expected, difference.found) {
    case (let expected?, let found?): "expected \(expected.text), found \(found.text)"
    case (let expected?, nil): "expected \(expected.text), found nothing"
    case (nil, let found?): "expected nothing, found \(found.text)"
    case (nil, nil): "nothing differs"
    }
  }
}
