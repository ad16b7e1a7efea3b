/// The parsed values of a command line, looked up by their option, flag or operand.
public struct Arguments: Sendable {
  var options: [Given] = []
  var operands: [Given] = []

  /// A value with the name of its option or operand. `word` is the text of an option's value.
  struct Given: Sendable {
    let name: String
    let value: any Sendable
    var word: String?
  }

  /// No values.
  public init() {}

  /// The value of an option (the last one if it repeats); nil if it was not given.
  public subscript<Value>(option: Option<Value>) -> Value? {
    for given in options.reversed() where given.name == option.name { return cast(given.value) }
    return nil
  }

  /// All values of an option, in their order.
  public func all<Value>(_ option: Option<Value>) -> [Value] {
    all(option.name, in: options)
  }

  /// Whether a flag was given.
  public subscript(flag: Flag) -> Bool { options.contains { $0.name == flag.name } }

  /// The value of an operand; nil when it was left out.
  public subscript<Value>(operand: Operand<Value>) -> Value? {
    for given in operands where given.name == operand.name { return cast(given.value) }
    return nil
  }

  /// The value of a required operand.
  public func required<Value>(_ operand: Operand<Value>) -> Value {
    guard let value = self[operand] else {
      preconditionFailure("\(operand.name) is not declared as required")
    }
    return value
  }

  /// All values of an operand, in their order.
  public func all<Value>(_ operand: Operand<Value>) -> [Value] {
    all(operand.name, in: operands)
  }

  /// Whether an option of that name was given.
  public func has(_ name: String) -> Bool { options.contains { $0.name == name } }

  /// The options that were given, by name, in their order.
  public var optionNames: [String] { options.map(\.name) }

  /// The options as words of a command line, without those in `others`. An option that was given
  /// several times appears once, with its last value.
  public func optionWords(without others: Arguments) -> [String] {
    var names: Set<String> = []
    let last = options.reversed().filter {
      !others.has($0.name) && names.insert($0.name).inserted
    }
    return last.reversed().map { given in
      given.word.map { "--\(given.name)=\($0)" } ?? "--\(given.name)"
    }
  }

  /// These arguments with the options of `others` in front of their own: the last one wins.
  public func after(_ others: Arguments) -> Arguments {
    var all = self
    all.options = others.options + options
    return all
  }

  /// The global options among these arguments.
  public func globals<Context>(_ table: CommandTable<Context>) -> Arguments {
    var globals = Arguments()
    globals.options = options.filter { given in table.globals.contains { $0.name == given.name } }
    return globals
  }

  private func all<Value>(_ name: String, in list: [Given]) -> [Value] {
    var values: [Value] = []
    for given in list where given.name == name { values.append(cast(given.value)) }
    return values
  }

  private func cast<Value>(_ value: any Sendable) -> Value {
    guard let value = value as? Value else {
      preconditionFailure("a value was parsed as \(type(of: value)), not as \(Value.self)")
    }
    return value
  }
}
