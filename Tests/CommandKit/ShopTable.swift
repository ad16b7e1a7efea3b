internal import CommandKit

/// A small command table with every kind of option and operand.
enum Shop {
  enum Colour: String, CaseIterable {
    case red
    case green
    case blue
  }

  static let store = Option<String>("store", nil, .directory, "the store")
  static let zone = Option<String>("zone", "z", .text("NAME"), "the zone")
  static let quiet = Flag("quiet", "q", "say nothing")
  static let verbose = Flag("verbose", "v", "say more")
  static let command = Option<String>("command", "c", .text("TEXT"), "a command to run")
  static let version = Flag("version", nil, "tell the version")

  static let colour = Option<Colour>("colour", nil, .choice("COLOUR"), "the colour")
  static let limit = Option<Int>("limit", "n", .count("N", atLeast: 1), default: "100", "how many")
  static let tags = Option<String>("tag", "t", .text("TAG"), repeats: true, "a tag")
  static let force = Flag("force", "f", "do it anyway")

  static let name = Operand<String>("NAME", .text("NAME"), "a name")
  static let number = Operand<Int>("COUNT", .count("COUNT", atLeast: 0), .optional, "how many")
  static let names = Operand<String>("NAME", .text("NAME"), .oneOrMore, "names")
  static let words = Operand<String>("WORD", .text("WORD"), .any, "words")

  /// Makes a new table for each test, since a table keeps what it builds.
  static var table: CommandTable<Void> {
    CommandTable(
      program: "shop", summary: "Sells things",
      globals: [
        AnyOption(store), AnyOption(zone), AnyOption(quiet), AnyOption(verbose),
      ], rootOptions: [AnyOption(command), AnyOption(version)],
      rows: [
        CommandRow("item", "Looks after items") {
          [
            CommandRow("add", "Adds an item") {
              Command(
                operands: [AnyOperand(name), AnyOperand(number)],
                options: [
                  AnyOption(colour), AnyOption(limit), AnyOption(tags), AnyOption(force),
                ], run: { _, _ in })
            },
            CommandRow("delete", "Deletes items") {
              Command(operands: [AnyOperand(names)], run: { _, _ in })
            },
            CommandRow("secret", "Is not told", isHidden: true) { Command(run: { _, _ in }) },
          ]
        },
        CommandRow("exec", "Runs a command") {
          Command(
            operands: [AnyOperand(words)], options: [AnyOption(force)], takesRest: true,
            run: { _, _ in })
        },
        CommandRow("list", "Lists items") { Command(run: { _, _ in }) },
      ])
  }

  /// Parses a line of words without blanks.
  static func parse(_ line: String) throws(UsageError) -> Invocation<Void> {
    try CommandLineParser.parse(line.split(separator: " ").map(String.init), table)
  }

  /// The values of a line that runs a command; nil for any other line.
  static func run(_ words: [String]) throws(UsageError) -> (values: Arguments, path: [String])? {
    guard case .run(_, let arguments, let path) = try CommandLineParser.parse(words, table)
    else { return nil }
    return (arguments, path)
  }
}
