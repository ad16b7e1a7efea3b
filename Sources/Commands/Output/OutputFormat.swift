internal import CommandKit

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

  /// Whether results and errors are JSON.
  var isJSON: Bool {
    switch self {
    case .json, .jsonl, .page, .wire: true
    case .table, .line, .csv, .tsv, .names, .raw: false
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
