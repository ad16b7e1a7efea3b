/// A row of the command table: a name, what it does, and what follows it. What follows is
/// built only when it is needed, one level at a time. An object, as parsers hand it about a lot.
public final class CommandRow<Context>: Sendable {
  /// The word.
  public let name: String
  /// One sentence in the imperative, without its end.
  public let summary: String
  /// Whether help passes it over.
  public let isHidden: Bool
  /// The verbs by what they are for, where they are too many for one list.
  public let groups: [CommandGroup]
  /// What follows.
  public let body: Body

  /// What a row leads to.
  public enum Body: Sendable {
    /// Further rows.
    case group(@Sendable () -> [CommandRow<Context>])
    /// Something to run.
    case verb(@Sendable () -> Command<Context>)
  }

  /// A row that leads to further rows.
  public init(
    _ name: String, _ summary: String, groups: [CommandGroup] = [],
    rows: @escaping @Sendable () -> [CommandRow<Context>]
  ) {
    self.name = name
    self.summary = summary
    isHidden = false
    self.groups = groups
    body = .group(rows)
  }

  /// A row that can be run.
  public init(
    _ name: String, _ summary: String, isHidden: Bool = false,
    verb: @escaping @Sendable () -> Command<Context>
  ) {
    self.name = name
    self.summary = summary
    self.isHidden = isHidden
    groups = []
    body = .verb(verb)
  }
}

/// Something to run: its operands and options, its explanation, its work.
public final class Command<Context>: Sendable {
  /// The operands, in their order.
  public let operands: [AnyOperand]
  /// The options besides the global ones.
  public let options: [AnyOption]
  /// What a user should know beyond the summary; paragraphs, wrapped by whoever prints them.
  public let discussion: String
  /// Command lines with what they do.
  public let examples: [Example]
  /// Whether all words after the first operand belong to it, options included.
  public let takesRest: Bool
  /// Does the work.
  public let run: @Sendable (Arguments, Context) throws -> Void

  /// A command line and what it does.
  public struct Example: Sendable {
    /// What it does.
    public let purpose: String
    /// The line, beginning with `ckdb`.
    public let line: String

    /// Shows a command line.
    public init(_ purpose: String, _ line: String) {
      self.purpose = purpose
      self.line = line
    }
  }

  /// Describes a command.
  public init(
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
