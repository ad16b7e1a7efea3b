/// An option that takes a value: `--name VALUE`.
package struct Option<Value: Sendable>: Sendable {
  /// The long name, without dashes.
  package let name: String
  /// The short name.
  package let short: Character?
  /// What its value is.
  package let kind: ValueKind<Value>
  /// The environment variable that stands in for it.
  package let variable: String?
  /// Whether it may be given several times.
  package let repeats: Bool
  /// What holds when it is not given, for help.
  package let defaultText: String?
  /// One sentence, without its end.
  package let help: String

  /// Describes an option.
  package init(
    _ name: String, _ short: Character?, _ kind: ValueKind<Value>,
    variable: String? = nil, repeats: Bool = false, default defaultText: String? = nil,
    _ help: String
  ) {
    self.name = name
    self.short = short
    self.kind = kind
    self.variable = variable
    self.repeats = repeats
    self.defaultText = defaultText
    self.help = help
  }
}

/// An option without a value: `--name`.
package struct Flag: Sendable {
  /// The long name, without dashes.
  package let name: String
  /// The short name.
  package let short: Character?
  /// The environment variable that stands in for it.
  package let variable: String?
  /// One sentence, without its end.
  package let help: String

  /// Describes a flag.
  package init(_ name: String, _ short: Character?, variable: String? = nil, _ help: String) {
    self.name = name
    self.short = short
    self.variable = variable
    self.help = help
  }

  /// Describes a flag without a short name.
  package init(_ name: String, variable: String? = nil, _ help: String) {
    self.init(name, nil, variable: variable, help)
  }
}

/// A word of the command line that is told by its place.
package struct Operand<Value: Sendable>: Sendable {
  /// The name in help, in capitals.
  package let name: String
  /// What its value is.
  package let kind: ValueKind<Value>
  /// How many words it takes.
  package let count: OperandCount
  /// One sentence, without its end.
  package let help: String

  /// Describes an operand.
  package init(
    _ name: String, _ kind: ValueKind<Value>, _ count: OperandCount, _ help: String
  ) {
    self.name = name
    self.kind = kind
    self.count = count
    self.help = help
  }

  /// Describes an operand of one word.
  package init(_ name: String, _ kind: ValueKind<Value>, _ help: String) {
    self.init(name, kind, .one, help)
  }
}

/// How many words an operand takes; only the last operands of a command may be optional.
package enum OperandCount: Sendable, Equatable {
  case one
  case optional
  case oneOrMore
  case any
}

/// An option or a flag, whatever its type. An object, as parsers hand it about a lot.
package final class AnyOption: Sendable {
  /// The long name, without dashes.
  package let name: String
  /// The short name.
  package let short: Character?
  /// The placeholder of its value; nil for a flag.
  package let placeholder: String?
  /// What its value may be.
  package let candidates: Candidates
  /// The environment variable that stands in for it.
  package let variable: String?
  /// Whether it may be given several times.
  package let repeats: Bool
  /// What holds when it is not given.
  package let defaultText: String?
  /// One sentence.
  package let help: String
  let parse: @Sendable (String) throws(ValueError) -> any Sendable

  /// Forgets an option's type.
  package init<Value>(_ option: Option<Value>) {
    name = option.name
    short = option.short
    placeholder = option.kind.placeholder
    candidates = option.kind.candidates
    variable = option.variable
    repeats = option.repeats
    defaultText = option.defaultText
    help = option.help
    parse = { (word) throws(ValueError) in try option.kind.parse(word) }
  }

  /// A flag as an option.
  package init(_ flag: Flag) {
    name = flag.name
    short = flag.short
    placeholder = nil
    candidates = .none
    variable = flag.variable
    repeats = true
    defaultText = nil
    help = flag.help
    parse = { (_) throws(ValueError) in true }
  }
}

/// An operand, whatever its type.
package final class AnyOperand: Sendable {
  /// The name in help.
  package let name: String
  /// How many words it takes.
  package let count: OperandCount
  /// What its value may be.
  package let candidates: Candidates
  /// One sentence.
  package let help: String
  let parse: @Sendable (String) throws(ValueError) -> any Sendable

  /// Forgets an operand's type.
  package init<Value>(_ operand: Operand<Value>) {
    name = operand.name
    count = operand.count
    candidates = operand.kind.candidates
    help = operand.help
    parse = { (word) throws(ValueError) in try operand.kind.parse(word) }
  }

  /// The operand in a usage line: `NAME`, `[NAME]`, `NAME…`.
  package var usage: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .oneOrMore: "\(name)..."
    case .any: "[\(name)...]"
    }
  }
}
