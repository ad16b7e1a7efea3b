/// A row of the command table: a name, what it does, and what is behind it. What is behind is
/// built only when it is needed, one level at a time.
package struct CommandRow<Context>: Sendable {
  /// The word.
  package let name: String
  /// One sentence in the imperative, without its end.
  package let summary: String
  /// Whether help passes it over.
  package let isHidden: Bool
  /// What is behind.
  package let body: Body

  /// What a row leads to.
  package enum Body: Sendable {
    /// Further rows.
    case group(@Sendable () -> [CommandRow<Context>])
    /// Something to run.
    case verb(@Sendable () -> Command<Context>)
  }

  /// A row that leads to further rows.
  package init(
    _ name: String, _ summary: String, rows: @escaping @Sendable () -> [CommandRow<Context>]
  ) {
    self.name = name
    self.summary = summary
    isHidden = false
    body = .group(rows)
  }

  /// A row that can be run.
  package init(
    _ name: String, _ summary: String, isHidden: Bool = false,
    verb: @escaping @Sendable () -> Command<Context>
  ) {
    self.name = name
    self.summary = summary
    self.isHidden = isHidden
    body = .verb(verb)
  }
}

/// Something to run: its operands and options, its explanation, its work.
package struct Command<Context>: Sendable {
  /// The operands, in their order.
  package let operands: [AnyOperand]
  /// The options beside the global ones.
  package let options: [AnyOption]
  /// What a user should know beyond the summary; paragraphs, wrapped by whoever prints them.
  package let discussion: String
  /// Command lines with what they do.
  package let examples: [Example]
  /// Whether all words behind the first operand belong to it, options included.
  package let takesRest: Bool
  /// Does the work.
  package let run: @Sendable (Arguments, Context) throws -> Void

  /// A command line and what it does.
  package struct Example: Sendable {
    /// What it does.
    package let purpose: String
    /// The line, beginning with `ckdb`.
    package let line: String

    /// Shows a command line.
    package init(_ purpose: String, _ line: String) {
      self.purpose = purpose
      self.line = line
    }
  }

  /// Describes a command.
  package init(
    operands: [AnyOperand] = [], options: [AnyOption] = [], discussion: String = "",
    examples: [Example] = [], takesRest: Bool = false,
    run: @escaping @Sendable (Arguments, Context) throws -> Void
  ) {
    self.operands = operands
    self.options = options
    self.discussion = discussion
    self.examples = examples
    self.takesRest = takesRest
    self.run = run
  }
}
