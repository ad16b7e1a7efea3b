internal import Basics
internal import CloudModel
internal import CloudServices
public import CloudSync
internal import CommandKit

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// One run of the program: a single command, a batch or the prompt. The store stays open
/// between its commands.
public final class Session {
  /// The environment variables, the streams and the terminal.
  public internal(set) var surroundings: Surroundings
  private(set) var table: CommandTable<Context>
  private var stores = SmallMap<String, CloudStore>()
  /// The settings of this session, made by `use`.
  var overrides = SavedContext() {
    didSet { usual = nil }
  }
  /// The database of command lines that do not name one, once it is known; outdated when the store
  /// has another version.
  var usual: UsualDatabase?

  struct UsualDatabase {
    let environment: CloudEnvironment
    let scope: DatabaseScope
    let store: CloudStore
    let version: Int
  }
  /// The options before `-c`, or at the start of the prompt.
  var baseArguments = Arguments() {
    didSet { usual = nil }
  }
  /// The prompt's state; nil if the commands do not come from the prompt.
  private(set) var prompt: PromptState?
  /// The words of the running command, with its alias expanded.
  private(set) var words: [String] = []
  private var knownConfiguration: Configuration?
  /// The original surroundings while `.output` redirects results.
  private var terminal: Surroundings?
  /// The file that takes results; nil for the terminal.
  private(set) var outputPath: String?
  /// Whether `quit` was entered.
  private(set) var isOver = false
  private var depth = 0

  /// What carries requests to other servers; nil in a program that does not link it.
  let transport: (any RemoteTransport)?

  /// A run in the given surroundings.
  public init(_ surroundings: Surroundings, _ transport: (any RemoteTransport)? = nil) {
    self.surroundings = surroundings
    self.transport = transport
    table = Self.table(Table.rows)
  }

  private static func table(_ rows: [CommandRow<Context>]) -> CommandTable<Context> {
    CommandTable(
      program: "ckdb", summary: "CloudKit's data model as a local record database",
      globals: GlobalOptions.all, rootOptions: GlobalOptions.root, rows: rows,
      groups: Table.groups + (rows.count > Table.rows.count ? [PromptRows.group] : []),
      overviewExamples: Table.overview, seeAlso: Table.seeAlso, synonyms: Table.synonyms)
  }

  // MARK: The prompt

  /// Whether the process runs no other command.
  var isAlone: Bool { prompt == nil && depth == 0 && !isBatch }
  /// Whether the commands come from -c or standard input.
  private var isBatch = false

  /// Whether the commands come from the prompt.
  var isPrompt: Bool { prompt != nil }

  /// Accepts commands from the prompt, including those that only it has.
  func enterPrompt(_ state: PromptState) {
    prompt = state
    table = Self.table(Table.rows + PromptRows.rows)
  }

  /// Redirects results to a file, or back to the terminal (nil). Throws `SystemError`, also if the
  /// previous file could not be written.
  func redirect(to path: String?) throws {
    surroundings.flush()
    let failure = terminal == nil ? nil : surroundings.output.failure
    if let terminal { surroundings = terminal }
    terminal = nil
    outputPath = nil
    if let failure { throw failure }
    guard let path else { return }
    let file = try FileHandle(open: path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
    terminal = surroundings
    surroundings.output = ByteOutput(file)
    surroundings.outputIsTerminal = false
    outputPath = path
  }

  /// The user's settings. Throws `CommandError`.
  func configuration() throws -> Configuration {
    if let knownConfiguration { return knownConfiguration }
    let read = try Configuration(surroundings)
    knownConfiguration = read
    return read
  }

  /// Forgets the user's settings, which have changed.
  func forgetConfiguration() { knownConfiguration = nil }

  func store(at path: String) -> CloudStore {
    if let store = stores[path] { return store }
    let store = CloudStore(path: path, .bySignals)
    stores[path] = store
    return store
  }

  // MARK: Running

  /// Runs the program with its words, writes all output, and returns the exit code.
  public func run(_ words: [String?]) -> Int32 {
    let code = runWords(words)
    defer {
      usual = nil
      stores.values.forEach { $0.rest() }
    }
    surroundings.flush()
    if code == 0, surroundings.output.isCut, Interrupt.isRaised { return 128 + Interrupt.number }
    if let failure = surroundings.output.failure, !surroundings.output.isBroken {
      surroundings.errors.line("ckdb: error: \(failure)")
      surroundings.errors.flush()
      return ExitCode.inputOutput.rawValue
    }
    return code
  }

  /// Runs the words; nil is a word that is not UTF-8.
  private func runWords(_ words: [String?]) -> Int32 {
    if let index = words.firstIndex(of: nil) {
      return report(CommandError("argument \(index + 1) is not valid UTF-8", .data), nil)
    }
    return runCommand(words.compactMap { $0 }) { try self.runWithoutCommand($0) }
  }

  /// Runs one command line and reports its errors. Also reports damaged pages that it read, as
  /// these may be the reason for missing results.
  func runCommand(
    _ words: [String], orElse nothing: (Arguments) throws -> Int32
  ) -> Int32 {
    var context: Context?
    let outer = self.words
    self.words = words
    defer { self.words = outer }
    let code = run(words, &context, orElse: nothing)
    let ends: [ExitCode] = [.success, .no, .partial]
    guard let context, ends.contains(where: { $0.rawValue == code }) else { return code }
    do {
      for (environment, _) in context.environments { try environment.requireWholePages() }
      for app in context.deviceApps { try app.requireWholePages() }
      return code
    } catch {
      // A command that failed has written its error as JSON already.
      return report(CommandError(any: error), code == 0 ? context : nil)
    }
  }

  private func run(
    _ words: [String], _ context: inout Context?, orElse nothing: (Arguments) throws -> Int32
  ) -> Int32 {
    do {
      switch try parse(words) {
      case .run(let command, let arguments, let path):
        try TransactionCommands.check(path, prompt)
        stores.values.forEach { $0.noteChanges(of: usual?.environment) }
        let made = Context(self, arguments)
        context = made
        defer { made.waitForFaults() }
        try command.run(arguments, made)
        return ExitCode.success.rawValue
      case .help(let path, let isFull):
        try showHelp(path, isFull: isFull)
        return ExitCode.success.rawValue
      case .nothing(let arguments): return try nothing(arguments)
      }
    } catch let answer as QuietExit {
      return answer.code.rawValue
    } catch let end as ChildEnd {
      return end.code
    } catch {
      // Without a context, the words decide whether to use JSON.
      return report(
        CommandError(any: error), context, asJSON: context == nil && wantsJSON(words))
    }
  }

  /// Parses a line; a first word that is not a command may be an alias.
  private func parse(_ words: [String]) throws -> Invocation<Context> {
    do { return try CommandLineParser.parse(words, table) } catch {
      guard error.path.isEmpty, let name = words.first, table.find([name]).row == nil,
        let alias = try? configuration().alias(name)
      else { throw error }
      self.words = alias + words.dropFirst()
      return try CommandLineParser.parse(self.words, table)
    }
  }

  /// Whether a line that cannot be parsed requests JSON.
  private func wantsJSON(_ words: [String]) -> Bool {
    var format = surroundings.variable(GlobalOptions.format.variable ?? "")
    if let base = Settings(arguments: baseArguments, surroundings: surroundings).explicitFormat {
      format = base.rawValue
    }
    var words = words.prefix { $0 != "--" }[...]
    while let word = words.popFirst() {
      switch word {
      case "--json", "--jsonl", "--csv": format = String(word.dropFirst(2))
      case "-f", "--format": format = words.popFirst()
      case _ where word.hasPrefix("--format="): format = String(word.dropFirst(9))
      case _ where word.hasPrefix("-f"): format = String(word.dropFirst(2))
      default: continue
      }
    }
    return format.flatMap { OutputFormat(rawValue: $0) }?.isJSON ?? false
  }

  /// Whether words end the run (`quit`), including all batches around it.
  func ends(at words: [String]) -> Bool {
    if words.count == 1, ["quit", "exit", ".quit"].contains(words[0]) { isOver = true }
    return isOver
  }

  private func showHelp(_ path: [String], isFull: Bool) throws {
    let width = min(surroundings.width(), 100)
    guard let text = table.help(path, isFull: isFull, width: width) else {
      throw CommandError("no help for '\(path.joined(separator: " "))'", .usage)
    }
    surroundings.output.write(text)
  }

  private func report(
    _ error: CommandError, _ context: Context?, asJSON: Bool = false
  ) -> Int32 {
    surroundings.output.flush()
    let isSignal = error.exitCode == .interrupted && Interrupt.number != 0
    // The terminal shows ^C where the cursor was.
    if isSignal, surroundings.inputIsTerminal { surroundings.errors.line("") }
    let settings =
      context?.settings ?? Settings(arguments: baseArguments, surroundings: surroundings)
    let style = TextStyle(settings, isTerminal: surroundings.errorsAreTerminal)
    let width = surroundings.errorsAreTerminal ? surroundings.errorsWidth() : nil
    for line in error.lines(style, width: width) { surroundings.errors.line(line) }
    if asJSON || (try? context?.format())?.isJSON == true {
      error.json.withUnsafeBytes { surroundings.errors.write($0) }
    }
    return isSignal ? 128 + Interrupt.number : error.exitCode.rawValue
  }

  /// Runs `ckdb` without a command: the commands of `-c`, the prompt on a terminal, or else a batch
  /// from standard input.
  private func runWithoutCommand(_ arguments: Arguments) throws -> Int32 {
    if arguments[GlobalOptions.version] {
      surroundings.output.line(Version.text)
      return ExitCode.success.rawValue
    }
    baseArguments = arguments
    isBatch = true
    let commands = arguments.all(GlobalOptions.command)
    let keepsGoing = arguments[GlobalOptions.keepGoing]
    if !commands.isEmpty {
      var lines = commands.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        .map(String.init)[...]
      return try Batch(session: self, name: "-c", keepsGoing: keepsGoing).run {
        lines.popFirst().map { $0 }
      }
    }
    if surroundings.inputIsTerminal { return Prompt(self).run() }
    return try Batch(session: self, name: "standard input", keepsGoing: keepsGoing)
      .run(LineReader(surroundings.input))
  }

  /// Runs a batch within another, as `ckdb run` does; at most 16 deep.
  func nested<T>(_ work: () throws -> T) throws -> T {
    guard depth < 16 else {
      throw CommandError("batches are nested more than 16 deep", .usage)
    }
    depth += 1
    defer { depth -= 1 }
    return try work()
  }
}

/// Ends a command with the exit code of the program that it ran.
struct ChildEnd: Error {
  let code: Int32
}

/// Ends a command with an exit code and without a message: the answer is no.
struct QuietExit: Error {
  let code: ExitCode
}
