internal import Basics
internal import CloudModel
internal import CommandKit

/// The options that every command has (M1).
enum GlobalOptions {
  static let store = Option(
    "store", nil, .directory, variable: "CKDB_STORE",
    default: "the nearest .ckdb upward, else $XDG_DATA_HOME/ckdb", "Directory of the store")
  static let container = Option(
    "container", "C", .container, variable: "CKDB_CONTAINER",
    default: "the saved one, else the only one", "Container")
  static let environment = Option(
    "environment", "e", .environment, variable: "CKDB_ENVIRONMENT", default: "development",
    "Environment of the container")
  static let database = Option(
    "database", "d", .scope, variable: "CKDB_DATABASE", default: "private",
    "Database of the container")
  static let zone = Option(
    "zone", "z", .zone, variable: "CKDB_ZONE", default: "_defaultZone",
    "Record zone; query and export without it cover all zones")
  static let user = Option(
    "user", "u", ValueKind<String>.text("NAME", candidates: .question("accounts")),
    variable: "CKDB_USER", default: "me",
    "Account to act as; 'none' acts without an account")
  static let device = Option(
    "device", nil, ValueKind<String>.text("NAME", candidates: .question("devices")),
    variable: "CKDB_DEVICE", default: "cli",
    "Device to act from")
  static let format = Option(
    "format", "f", ValueKind<OutputFormat>.choice("FORMAT"), variable: "CKDB_FORMAT",
    default: "table on a terminal, tsv in a pipe", "Output format")
  static let json = Flag("json", "Same as --format json")
  static let jsonl = Flag("jsonl", "Same as --format jsonl")
  static let csv = Flag("csv", "Same as --format csv")
  static let clock = Option(
    "clock", nil, .time, variable: "CKDB_CLOCK", default: "the system's",
    "Freeze the clock at TIME")
  static let seed = Option(
    "seed", nil, .seed, variable: "CKDB_SEED", default: "the system's",
    "Seed all random choices")
  static let strict = Flag(
    "strict", variable: "CKDB_STRICT", "Reject what CloudKit would reject")
  static let wait = Option(
    "wait", nil, .seconds, variable: "CKDB_WAIT", default: "60",
    "Time to wait for another writer")
  static let dates = Option(
    "dates", nil, ValueKind<DateStyle>.choice("STYLE"), variable: "CKDB_DATES",
    default: "local on a terminal, else iso", "Dates in tables: utc, local, iso")
  static let progress = Option(
    "progress", nil, ValueKind<ProgressChoice>.choice("STYLE"), variable: "CKDB_PROGRESS",
    default: "auto", "Progress of long operations: auto (on a terminal), plain, json, none")
  static let quiet = Flag("quiet", "q", "Suppress status messages")
  static let verbose = Flag("verbose", "v", "Print details")
  static let yes = Flag("yes", "y", "Answer yes to all questions")
  static let noInput = Flag("no-input", "Never prompt for confirmation")
  static let color = Option(
    "color", nil, ValueKind<ColorChoice>.choice("WHEN"), variable: nil, default: "auto",
    "Use color: auto, always, never")

  static let command = Option(
    "command", "c", ValueKind<String>.text("COMMANDS"), repeats: true,
    "Run commands separated by ';' up to the first error")
  static let keepGoing = Flag("keep-going", "Continue after a failed command")
  static let version = Flag("version", "V", "Print the version")

  /// The options of the program without a command.
  static let root: [AnyOption] = [
    AnyOption(command), AnyOption(keepGoing), AnyOption(version),
  ]

  /// Whether an option affects where or how a command acts.
  static func choosesPlace(_ name: String) -> Bool {
    switch name {
    case "store", "container", "environment", "database", "user", "device", "clock", "seed",
      "wait", "strict":
      true
    default: false
    }
  }

  static let all: [AnyOption] = [
    AnyOption(store), AnyOption(container), AnyOption(environment), AnyOption(database),
    AnyOption(zone), AnyOption(user), AnyOption(device), AnyOption(format), AnyOption(json),
    AnyOption(jsonl), AnyOption(csv), AnyOption(clock), AnyOption(seed), AnyOption(strict),
    AnyOption(wait), AnyOption(dates), AnyOption(progress), AnyOption(quiet), AnyOption(verbose),
    AnyOption(yes),
    AnyOption(noInput),
    AnyOption(color),
  ]
}

/// When to use colours.
enum ColorChoice: String, CaseIterable, Sendable {
  case auto
  case always
  case never
}
