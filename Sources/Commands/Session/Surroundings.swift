public import Basics

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The surroundings of a run: the environment variables, the three streams, the terminal.
public struct Surroundings {
  /// An environment variable; an empty one counts as unset.
  public var variable: (String) -> String?
  /// The working directory, where `.ckdb` is looked for.
  public var workingDirectory: String
  /// Standard input.
  public var input: FileHandle
  /// Standard output: results only.
  public var output: ByteOutput
  /// Standard error: everything else.
  public var errors: ByteOutput
  /// Whether standard input is a terminal.
  public var inputIsTerminal: Bool
  /// Whether standard output is a terminal.
  public var outputIsTerminal: Bool
  /// Whether standard error is a terminal.
  public var errorsAreTerminal: Bool
  /// The current columns of the terminal; the user may resize it at any time.
  public var width: () -> Int
  /// The columns of the terminal at standard error.
  public var errorsWidth: () -> Int
  /// The current lines of the terminal.
  public var height: () -> Int
  /// The path of this program.
  public var executable: () -> String
  /// All environment variables, for child processes.
  public var allVariables: () -> [String: String]

  /// Creates surroundings, for tests.
  public init(
    variable: @escaping (String) -> String?, workingDirectory: String, input: FileHandle,
    output: ByteOutput, errors: ByteOutput, inputIsTerminal: Bool = false,
    outputIsTerminal: Bool = false, errorsAreTerminal: Bool = false,
    width: @escaping () -> Int = { 80 }, height: @escaping () -> Int = { 24 },
    errorsWidth: @escaping () -> Int = { 80 },
    executable: @escaping () -> String = { "" },
    allVariables: @escaping () -> [String: String] = { [:] }
  ) {
    self.variable = variable
    self.workingDirectory = workingDirectory
    self.input = input
    self.output = output
    self.errors = errors
    self.inputIsTerminal = inputIsTerminal
    self.outputIsTerminal = outputIsTerminal
    self.errorsAreTerminal = errorsAreTerminal
    self.width = width
    self.height = height
    self.errorsWidth = errorsWidth
    self.executable = executable
    self.allVariables = allVariables
  }

  /// Flushes the streams, results before messages.
  func flush() {
    output.flush()
    errors.flush()
  }

  /// The surroundings of the process.
  public static func process() -> Surroundings {
    let isTerminal = isatty(1) == 1
    let width = isTerminal ? TerminalWidth() : nil
    return Surroundings(
      variable: { name in
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
      },
      workingDirectory: (try? FileSystem.currentDirectory()) ?? ".",
      input: FileHandle(descriptor: 0, path: "standard input", closesAtEnd: false),
      output: ByteOutput(
        FileHandle(descriptor: 1, path: "standard output", closesAtEnd: false)),
      errors: ByteOutput(
        FileHandle(descriptor: 2, path: "standard error", closesAtEnd: false)),
      inputIsTerminal: isatty(0) == 1, outputIsTerminal: isTerminal,
      errorsAreTerminal: isatty(2) == 1,
      width: { width?.columns ?? 80 }, height: { TerminalSize.now()?.rows ?? 24 },
      errorsWidth: { TerminalSize.now(2)?.columns ?? 80 },
      executable: { Platform.executablePath },
      allVariables: { Platform.environmentVariables })
  }
}

/// The width of the terminal at standard output.
///
/// COLUMNS from the environment wins, as usual, until the terminal is resized.
private struct TerminalWidth {
  private let stated = getenv("COLUMNS").flatMap { Int(String(cString: $0)) }.flatMap {
    $0 > 0 ? $0 : nil
  }
  private let first = TerminalSize.now()?.columns

  var columns: Int {
    let columns = TerminalSize.now()?.columns
    if let stated, columns == first { return stated }
    return columns ?? 80
  }
}

/// The size of a terminal.
private struct TerminalSize {
  let columns: Int
  let rows: Int

  /// The current size of the terminal at a descriptor, by default standard output.
  static func now(_ descriptor: Int32 = 1) -> TerminalSize? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return TerminalSize(columns: Int(size.ws_col), rows: max(2, Int(size.ws_row)))
  }
}
