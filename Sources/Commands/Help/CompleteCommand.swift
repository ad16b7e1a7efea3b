internal import Basics
internal import CommandKit

/// `ckdb __complete -- WORDS…`
enum CompleteCommand {
  static let words = Operand(
    "WORD", ValueKind<String>.text("WORD"), .any, "Words up to the cursor")

  static var command: Command<Context> {
    Command(operands: [AnyOperand(words)], takesRest: true) { arguments, context in
      switch Completer(context.session).answer(for: arguments.all(words)) {
      case .words(let found): for word in found.words { context.output.line(word) }
      // The shells' scripts complete names of files then.
      case .files: throw QuietExit(code: .no)
      }
    }
  }
}
