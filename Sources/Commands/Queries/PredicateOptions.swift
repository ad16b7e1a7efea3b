internal import Basics
internal import CloudModel
internal import CommandKit
internal import PredicateLanguage

/// The options that fill in a predicate's placeholders and variables.
enum PredicateOptions {
  static let argument = Option(
    "argument", nil, .predicateArgument, repeats: true, "Fill the next %@ or %K")
  static let variable = Option(
    "variable", nil, .variable, repeats: true, "Set a $ variable")

  static let all = [AnyOption(argument), AnyOption(variable)]
}

extension Context {
  /// Parses a predicate with its arguments. Throws `CommandError` with the position of the fault.
  func predicate(_ text: String, _ arguments: Arguments) throws -> Predicate {
    let variables = arguments.all(PredicateOptions.variable)
    let predicate = try parse(
      text, arguments.all(PredicateOptions.argument),
      variables: Dictionary(variables.map { ($0.name, $0.value) }) { _, last in last })
    if let span = PredicateParser.missingColon(in: text) {
      warn("distanceToLocation:fromLocation: must end with a colon")
      let caret = CommandError.Caret(text: text, span: span)
      for line in caret.lines(width: errorsWidth) { report(line) }
    }
    return predicate
  }
}

/// `NAME=VALUE` of `--variable`.
struct PredicateVariable: Sendable {
  let name: String
  let value: PredicateParser.Argument
}

extension ValueKind where Value == PredicateVariable {
  /// The name of a variable, without its `$`, and its value.
  static let variable = ValueKind<PredicateVariable>("NAME=VALUE") { (word) throws(ValueError) in
    guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
      throw ValueError("expected NAME=VALUE, found '\(word.visible)'")
    }
    let name = word[..<equals]
    return PredicateVariable(
      name: String(name.hasPrefix("$") ? name.dropFirst() : name),
      value: try ValueKind<PredicateParser.Argument>.predicateArgument.parse(
        String(word[word.index(after: equals)...])))
  }
}
