internal import Basics
internal import CommandKit
internal import TestSupport
internal import Testing

@testable internal import Commands

/// A text of command lines with their expected results:
///
/// - `$ ckdb …` is a command; words before `ckdb` set variables.
/// - `< text` is a line of its standard input.
/// - `! text` is a line of its standard error; a bare `!` means that there is none. Without such
///   lines standard error is not checked.
/// - `? CODE` is its exit code, 0 by default.
/// - `@ NAME` makes a file of the `| text` lines that follow.
/// - `CURSOR` stands for any cursor that a command prints; in the next command, for the last one
///   printed.
/// - Each store chooses the sixteen digits of its change tokens at random. The digits in the text
///   stand for those that are printed in their place, here and in later commands.
/// - `# text` at the beginning of a line is a comment.
/// - Every other line is standard output; empty lines at its end are ignored.
struct Transcript {
  /// A command and its expected result.
  struct Step {
    var line: Int
    var command: String
    var input: [String] = []
    var output: [String] = []
    var errors: [String]?
    var code: Int32 = 0
  }

  /// A file that is made before a step runs.
  struct File {
    var step: Int
    var name: String
    var lines: [String] = []
  }

  var steps: [Step] = []
  var files: [File] = []

  init(_ text: String) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      take(String(line), index + 1)
    }
  }

  private mutating func take(_ line: String, _ number: Int) {
    let rest = String(line.dropFirst(2))
    switch line.prefix(2) {
    case "$ ": steps.append(Step(line: number, command: rest))
    case "@ ": files.append(File(step: steps.count, name: rest))
    case "| ", "|": files[files.count - 1].lines.append(rest)
    case "# ", "#": break
    default: if !steps.isEmpty { take(line, rest, &steps[steps.count - 1]) }
    }
  }

  private func take(_ line: String, _ rest: String, _ step: inout Step) {
    switch line.prefix(2) {
    case "< ", "<": step.input.append(rest)
    case "! ": step.errors = (step.errors ?? []) + [rest]
    case "!": step.errors = step.errors ?? []
    case "? ": step.code = Int32(rest) ?? -1
    default: step.output.append(line)
    }
  }

  /// Runs all steps in one directory and compares the results.
  func run(_ name: String, in fixture: CommandFixture) throws {
    var cursor = ""
    var tokens = TokenDigits()
    for (index, var step) in steps.enumerated() {
      for file in files where file.step == index {
        _ = try fixture.file(file.name, file.lines.map { $0 + "\n" }.joined())
      }
      step.command = tokens.actual(step.command.replacing("CURSOR", with: cursor))
      let outcome = try Self.run(step, in: fixture)
      let place = "\(name):\(step.line): \(step.command)"
      cursor = Self.cursor(in: outcome.errors) ?? Self.cursor(in: outcome.output) ?? cursor
      #expect(outcome.code == step.code, "\(place)\n\(outcome.errors)")
      let expected = Self.trimmed(step.output)
      let output = tokens.written(Self.lines(outcome.output, in: fixture), like: expected)
      #expect(output == expected, "\(place)")
      if let errors = step.errors {
        #expect(Self.lines(outcome.errors, in: fixture) == errors, "\(place)")
      }
    }
  }

  /// Runs a step's command line.
  static func run(_ step: Step, in fixture: CommandFixture) throws -> CommandFixture.Outcome {
    var splitter = WordSplitter()
    let commands = splitter.take(line: step.command)
    var words = try #require(commands.first)[...]
    var variables: [String: String] = [:]
    while let word = words.first, word != "ckdb", let equals = word.firstIndex(of: "=") {
      variables[String(word[..<equals])] = String(word[word.index(after: equals)...])
      words = words.dropFirst()
    }
    try #require(words.first == "ckdb" && commands.count == 1, "\(step.command)")
    return try fixture.run(
      Array(words.dropFirst()), input: step.input.map { $0 + "\n" }.joined(),
      variables: variables)
  }

  /// The lines of a text, with DIR for the directory's path.
  static func lines(_ text: String, in fixture: CommandFixture) -> [String] {
    let path = fixture.directory.path
    var text = text.split(separator: path, omittingEmptySubsequences: false).joined(
      separator: "DIR")
    while let cursor = cursor(in: text) { text = text.replacing(cursor, with: "CURSOR") }
    if text.contains("\r\n") { text = text.split(separator: "\r\n").joined(separator: "\n") }
    return trimmed(
      text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
  }

  /// The first cursor in a text: a version, and JSON in Base64url.
  private static func cursor(in text: String) -> String? {
    guard let start = text.firstRange(of: "1.eyJ") else { return nil }
    let isPart = { (character: Character) in
      character.isLetter || character.isNumber || "-_.".contains(character)
    }
    return String(text[start.lowerBound...].prefix(while: isPart))
  }

  private static func trimmed(_ lines: [String]) -> [String] {
    var lines = lines
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
}

/// The random digits of change tokens: those in the text, and those of the store.
private struct TokenDigits {
  private var actualByWritten: [String: String] = [:]

  /// A command with the store's digits.
  func actual(_ text: String) -> String {
    actualByWritten.reduce(text) { $0.replacing($1.key, with: $1.value) }
  }

  /// The output with the digits of the text where the two should agree; each of the store's digits
  /// belongs to one of the text's.
  mutating func written(_ output: [String], like expected: [String]) -> [String] {
    let (found, wanted) = (output.flatMap(Self.digits), expected.flatMap(Self.digits))
    guard found.count == wanted.count else { return output }
    for (actual, written) in zip(found, wanted) where actualByWritten[written] == nil {
      if !actualByWritten.values.contains(actual) { actualByWritten[written] = actual }
    }
    return output.map { line in
      actualByWritten.reduce(line) { $0.replacing($1.value, with: $1.key) }
    }
  }

  private static func digits(in line: String) -> [String] {
    line.matches(of: /[dz]1\.([0-9a-f]{16})\./).map { String($0.1) }
  }
}
