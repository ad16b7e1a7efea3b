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

  static let all = [AnyOption(null), AnyOption(csvSafe)]
}
