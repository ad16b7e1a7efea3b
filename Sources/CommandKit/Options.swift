/// An option that takes a value: `--name VALUE`.
public struct Option<Value: Sendable>: Sendable {
  /// The long name, without dashes.
  public let name: String
  /// The short name.
  public let short: Character?
  /// The kind of its value.
  public let kind: ValueKind<Value>
  /// The environment variable that replaces it.
  public let variable: String?
  /// Whether it may be given several times.
  public let repeats: Bool
  /// Whether it takes all words up to the next option.
  public let takesMany: Bool
  /// The default, as shown in help.
  public let defaultText: String?
  /// One sentence, without the period.
  public let help: String

  /// Describes an option.
  public init(
    _ name: String, _ short: Character?, _ kind: ValueKind<Value>,
    variable: String? = nil, repeats: Bool = false, takesMany: Bool = false,
    default defaultText: String? = nil, _ help: String
  ) {
    self.name = name
    self.short = short
    self.kind = kind
    self.variable = variable
    self.repeats = repeats || takesMany
    self.takesMany = takesMany
    self.defaultText = defaultText
    self.help = help
  }
}

/// An option without a value: `--name`.
public struct Flag: Sendable {
  /// The long name, without dashes.
  public let name: String
  /// The short name.
  public let short: Character?
  /// The environment variable that replaces it.
  public let variable: String?
  /// One sentence, without the period.
  public let help: String

  /// Describes a flag.
  public init(_ name: String, _ short: Character?, variable: String? = nil, _ help: String) {
    self.name = name
    self.short = short
    self.variable = variable
    self.help = help
  }

  /// Describes a flag without a short name.
  public init(_ name: String, variable: String? = nil, _ help: String) {
    self.init(name, nil, variable: variable, help)
  }
}

/// A positional argument.
public struct Operand<Value: Sendable>: Sendable {
  /// The name in help, in capitals.
  public let name: String
  /// The kind of its value.
  public let kind: ValueKind<Value>
  /// How many words it takes.
  public let count: OperandCount
  /// One sentence, without the period.
  public let help: String

  /// Describes an operand.
  public init(
    _ name: String, _ kind: ValueKind<Value>, _ count: OperandCount, _ help: String
  ) {
    self.name = name
    self.kind = kind
    self.count = count
    self.help = help
  }

  /// Describes an operand of one word.
  public init(_ name: String, _ kind: ValueKind<Value>, _ help: String) {
    self.init(name, kind, .one, help)
  }
}

/// How many words an operand takes; only the last operands of a command may be optional.
public enum OperandCount: Sendable, Equatable {
  case one
  case optional
  case oneOrMore
  case any
}

/// An option or a flag with its value type erased. A class, as parsers pass it around a lot.
public final class AnyOption: Sendable {
  /// The long name, without dashes.
  public let name: String
  /// The short name.
  public let short: Character?
  /// The placeholder of its value; nil for a flag.
  public let placeholder: String?
  /// The candidates for its value.
  public let candidates: Candidates
  /// The environment variable that replaces it.
  public let variable: String?
  /// Whether it may be given several times.
  public let repeats: Bool
  /// Whether it takes all words up to the next option.
  public let takesMany: Bool
  /// The default, as shown in help.
  public let defaultText: String?
  /// One sentence.
  public let help: String
  let parse: @Sendable (String) throws(ValueError) -> any Sendable

  /// Erases an option's value type.
  public init<Value>(_ option: Option<Value>) {
    name = option.name
    short = option.short
    placeholder = option.kind.placeholder
    candidates = option.kind.candidates
    variable = option.variable
    repeats = option.repeats
    takesMany = option.takesMany
    defaultText = option.defaultText
    help = option.help
    parse = { (word) throws(ValueError) in try option.kind.parse(word) }
  }

  /// A flag as an option.
  public init(_ flag: Flag) {
    name = flag.name
    short = flag.short
    placeholder = nil
    candidates = .none
    variable = flag.variable
    repeats = true
    takesMany = false
    defaultText = nil
    help = flag.help
    parse = { (_) throws(ValueError) in true }
  }
}

/// An operand with its value type erased.
public final class AnyOperand: Sendable {
  /// The name in help.
  public let name: String
  /// How many words it takes.
  public let count: OperandCount
  /// The candidates for its value.
  public let candidates: Candidates
  /// Whether its value usually contains blanks.
  let isPhrase: Bool
  /// One sentence.
  public let help: String
  let parse: @Sendable (String) throws(ValueError) -> any Sendable

  /// Erases an operand's value type.
  public init<Value>(_ operand: Operand<Value>) {
    name = operand.name
    count = operand.count
    candidates = operand.kind.candidates
    isPhrase = operand.kind.isPhrase
    help = operand.help
    parse = { (word) throws(ValueError) in try operand.kind.parse(word) }
  }

  /// The operand in a usage line: `NAME`, `[NAME]`, `NAME…`.
  public var usage: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .oneOrMore: "\(name)..."
    case .any: "[\(name)...]"
    }
  }
}
