/// A row of the command table: a name, a summary, and the subcommands or the command. The body is
/// built only when it is needed, one level at a time. A class, as parsers pass it around a lot.
public final class CommandRow<Context>: Sendable {
  /// The command word.
  public let name: String
  /// One imperative sentence, without the period.
  public let summary: String
  /// Whether help omits it.
  public let isHidden: Bool
  /// The verbs grouped by purpose, if they are too many for one list.
  public let groups: [CommandGroup]
  /// The subcommands or the command.
  public let body: Body

  /// The content of a row.
  public enum Body: Sendable {
    /// Subcommands.
    case group(@Sendable () -> [CommandRow<Context>])
    /// A command to run.
    case verb(@Sendable () -> Command<Context>)
  }

  /// A row with subcommands.
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

  /// A row that runs a command.
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

/// A command: its operands, options, help and action.
public final class Command<Context>: Sendable {
  /// The operands, in their order.
  public let operands: [AnyOperand]
  /// The options, without the global ones.
  public let options: [AnyOption]
  /// The explanation beyond the summary: paragraphs, wrapped when they are printed.
  public let discussion: String
  /// Example command lines.
  public let examples: [Example]
  /// Whether all words after the first operand belong to it, options included.
  public let takesRest: Bool
  /// Does the work.
  public let run: @Sendable (Arguments, Context) throws -> Void

  /// A command line and its purpose.
  public struct Example: Sendable {
    /// The purpose.
    public let purpose: String
    /// The line, beginning with `ckdb`.
    public let line: String

    /// Describes an example.
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
