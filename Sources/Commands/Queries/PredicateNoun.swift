internal import Basics
internal import CloudModel
internal import CommandKit
internal import PredicateLanguage

/// `ckdb predicate …`
enum PredicateNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow(
      "parse", "Print the canonical form of a predicate", verb: { PredicateParse.command }),
    CommandRow(
      "check", "Report what CloudKit would reject in a predicate",
      verb: { PredicateCheck.command }),
    CommandRow(
      "match", "Filter JSON Lines records by a predicate",
      verb: { PredicateMatch.command }),
  ]
}

/// `ckdb predicate parse PREDICATE`
enum PredicateParse {
  static let predicate = Operand(
    "PREDICATE", .predicate, "NSPredicate format string")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(predicate)], options: PredicateOptions.all,
      discussion: """
        Prints the canonical form, as NSPredicate's predicateFormat, or the position of the error. \
        Needs no store and no record type: any name can be a key.
        """,
      examples: [
        .init("Show operator precedence", "ckdb predicate parse 'a = 1 OR b = 2 AND NOT c = 3'"),
        .init(
          "Fill placeholders", "ckdb predicate parse '%K ==[c] %@' --argument name --argument Ann"),
      ]
    ) { arguments, context in
      let text = arguments.required(predicate)
      context.output.line(try context.predicate(text, arguments).text)
    }
  }
}
