internal import Basics
internal import CommandKit

/// `ckdb __complete [--descriptions] -- WORDS…`
enum CompleteCommand {
  static let words = Operand(
    "WORD", ValueKind<String>.text("WORD"), .any, "Words up to the cursor")
  static let descriptions = Flag("descriptions", "Print a description after each word and a tab")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(words)], options: [AnyOption(descriptions)], takesRest: true
    ) { arguments, context in
      let words = arguments.all(words)
      // Options before the words apply as if they were among them.
      context.session.baseArguments = arguments.globals(context.session.table)
      switch Completer(context.session).answer(for: words) {
      case .words(let found):
        let line = CompletedLine(Array(words.dropLast()), context.session.table)
        for word in found.words {
          let text = arguments[descriptions] ? line.description(of: word) : nil
          context.output.line(text.map { "\(word)\t\($0)" } ?? word)
        }
        // More follows in the word: the shells' scripts leave its quote open.
        if !found.isWord { throw QuietExit(code: .partial) }
      // The shells' scripts then complete file names.
      case .files: throw QuietExit(code: .no)
      }
    }
  }
}
