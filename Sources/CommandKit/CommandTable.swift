internal import Basics

/// A group of commands in help.
public struct CommandGroup: Sendable {
  /// The title.
  public let title: String
  /// The names of the commands.
  public let names: [String]

  /// Describes a group.
  public init(_ title: String, _ names: [String]) { (self.title, self.names) = (title, names) }
}

/// The whole command line: the program's name, the global options and the rows.
public final class CommandTable<Context> {
  /// The program's name.
  public let program: String
  /// One sentence.
  public let summary: String
  /// The options of every command.
  public let globals: [AnyOption]
  /// The options of the bare program, without a command.
  public let rootOptions: [AnyOption]
  /// The commands of the first level.
  public let rows: [CommandRow<Context>]
  /// The commands of the first level, grouped by purpose.
  public var groups: [CommandGroup] { makeGroups() }
  private let makeGroups: () -> [CommandGroup]
  /// The related commands and help topics of a command path: "predicates", "schema index".
  public let seeAlso: ([String]) -> [String]
  /// The example command lines of the overview.
  public let overviewExamples: [String]
  /// The words of other tools with their possible meanings here. The first meaning whose command
  /// exists is suggested; none is run.
  public var synonyms: [String: [String]] { makeSynonyms() }
  private let makeSynonyms: () -> [String: [String]]
  private var builtRows = SmallMap<String, [CommandRow<Context>]>()
  private var commands = SmallMap<String, Command<Context>>()

  /// Describes a program.
  public init(
    program: String, summary: String, globals: [AnyOption], rootOptions: [AnyOption],
    rows: [CommandRow<Context>], groups: @autoclosure @escaping () -> [CommandGroup] = [],
    overviewExamples: [String] = [], seeAlso: @escaping ([String]) -> [String] = { _ in [] },
    synonyms: @autoclosure @escaping () -> [String: [String]] = [:]
  ) {
    self.program = program
    self.summary = summary
    self.globals = globals
    self.rootOptions = rootOptions
    self.rows = rows
    makeGroups = groups
    self.overviewExamples = overviewExamples
    self.seeAlso = seeAlso
    makeSynonyms = synonyms
  }

  /// The rows of a group; built once.
  public func rows(_ path: [String], _ make: () -> [CommandRow<Context>]) -> [CommandRow<Context>] {
    let key = path.separated(by: " ")
    if let rows = builtRows[key] { return rows }
    let rows = make()
    builtRows[key] = rows
    return rows
  }

  /// The command of a verb; built once.
  public func command(_ path: [String], _ make: () -> Command<Context>) -> Command<Context> {
    let key = path.separated(by: " ")
    if let command = commands[key] { return command }
    let command = make()
    commands[key] = command
    return command
  }

  /// The row with a name.
  func row(_ name: String, among rows: [CommandRow<Context>]) -> CommandRow<Context>? {
    for row in rows where row.name == name { return row }
    return nil
  }

  /// The row or the rows at a path of words; nil if there are none.
  public func find(_ path: [String]) -> (row: CommandRow<Context>?, rows: [CommandRow<Context>]?) {
    var rows = self.rows
    var found: CommandRow<Context>?
    for (index, word) in path.enumerated() {
      guard let row = row(word, among: rows) else { return (nil, nil) }
      found = row
      switch row.body {
      case .group(let make): rows = self.rows(Array(path[...index]), make)
      case .verb: return index == path.count - 1 ? (row, nil) : (nil, nil)
      }
    }
    return (found, rows)
  }

  /// Every verb with its path, in the table's order.
  public func allVerbs() -> [(path: [String], row: CommandRow<Context>, command: Command<Context>)]
  {
    verbs(below: [], rows)
  }

  private func verbs(
    below path: [String], _ rows: [CommandRow<Context>]
  ) -> [(path: [String], row: CommandRow<Context>, command: Command<Context>)] {
    rows.flatMap { row in
      let path = path + [row.name]
      switch row.body {
      case .group(let make): return verbs(below: path, self.rows(path, make))
      case .verb(let make): return [(path, row, command(path, make))]
      }
    }
  }
}
