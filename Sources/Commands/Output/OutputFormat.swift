internal import Basics
internal import CommandKit
internal import WireFormat

/// The formats of results (M4).
enum OutputFormat: String, CaseIterable, Sendable {
  case table
  case line
  case json
  case jsonl
  case page
  case wire
  case csv
  case tsv
  case names
  case raw

  /// What a result is.
  enum Frame {
    /// A row of cells with titles (`CellWriter`).
    case cells
    /// An element of one JSON array.
    case array
    /// A line of JSON.
    case jsonLine
    /// A text that ends with a newline, or with NUL.
    case text
  }

  /// What a result is; everything else that depends on the format follows from it, but how a record
  /// is written (`RecordOutput`).
  var frame: Frame {
    switch self {
    case .table, .line, .csv, .tsv: .cells
    case .json, .page, .wire: .array
    case .jsonl: .jsonLine
    case .names, .raw: .text
    }
  }

  /// Whether results and errors are JSON.
  var isJSON: Bool { frame == .array || frame == .jsonLine }

  /// Whether people read it: with colors, and dates as the user wants them.
  var isForPeople: Bool { self == .table || self == .line }

  /// Whether records are written by the schema of their types.
  var needsSchema: Bool { frame == .cells || self == .wire }

  /// The format of files with such results; nil if they cannot be read back.
  var ofFiles: TextFormat? {
    switch self {
    case .json, .page: .json
    case .jsonl: .jsonl
    case .csv: .csv
    case .tsv: .tsv
    case .wire: .wire
    case .table, .line, .names, .raw: nil
    }
  }
}

/// The options of commands that print results.
enum OutputOptions {
  static let null = Flag("null", "0", "End names and raw values with NUL instead of a newline")
  static let csvSafe = Flag(
    "csv-safe", "Escape csv cells that a spreadsheet would run as formulas")

  static let noHeader = Flag("no-header", "Leave out the header line of csv and tsv")
  static let delimiter = Option(
    "delimiter", nil,
    ValueKind<UInt8>("C") { (word) throws(ValueError) in
      let byte = word == "\\t" ? 0x09 : word.utf8.first ?? 0
      guard word.utf8.count == 1 || byte == 0x09, byte < 0x80, byte >= 0x20 || byte == 0x09,
        byte != UInt8(ascii: "\"")
      else {
        throw ValueError("'\(word.visible)' is not one ASCII character, such as ;")
      }
      return byte
    }, default: ",", "Character between the cells of csv")

  static let all = [
    AnyOption(null), AnyOption(csvSafe), AnyOption(noHeader), AnyOption(delimiter),
  ]

  /// How csv and tsv are written. Throws `CommandError` for options of another format.
  static func separated(_ arguments: Arguments, _ format: OutputFormat) throws
    -> CellWriter.Separated
  {
    if arguments[delimiter] != nil, format != .csv {
      throw CommandError("--delimiter needs the format csv", .usage, hint: "add -f csv")
    }
    if arguments[noHeader], format != .csv, format != .tsv {
      throw CommandError(
        "--no-header needs the format csv or tsv", .usage, hint: "add -f csv or -f tsv")
    }
    return CellWriter.Separated(
      isSafe: arguments[csvSafe], hasHeader: !arguments[noHeader],
      delimiter: arguments[delimiter] ?? UInt8(ascii: ","))
  }
}
