internal import Basics
internal import CommandKit

/// `ckdb __complete -- WORDS…`
enum CompleteCommand {
  static let words = Operand(
    "WORD", ValueKind<String>.text("WORD"), .any, "The words up to the cursor")

  static var command: Command<Context> {
    Command(operands: [AnyOperand(words)], takesRest: true) { arguments, context in
      let completer = Completer(context.session)
      for candidate in completer.candidates(for: arguments.all(words)) {
        context.output.line(candidate)
      }
    }
  }
}
