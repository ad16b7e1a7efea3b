internal import CommandKit
internal import WireFormat

/// The format that the command line names.
extension TextFormat {
  /// The format that an option names, else the one of the file's suffix, else JSON Lines.
  static func of(_ path: String?, _ settings: Settings) throws -> TextFormat {
    if let format = settings.explicitFormat {
      if let readable = TextFormat(format) { return readable }
      throw CommandError(
        "records cannot be read or written as \(format.rawValue)", .usage,
        hint: "use json, jsonl, csv, tsv or wire")
    }
    return TextFormat(suffixOf: path) ?? .jsonl
  }

  /// The format of a file that is read where the options may mean the output alone: JSON, whose
  /// reader takes JSON Lines, too, when nothing names another.
  static func ofInput(_ path: String, _ settings: Settings) -> TextFormat {
    settings.explicitFormat.flatMap { TextFormat($0) } ?? ofSuffix(path)
  }

  /// The format of a file where options mean the output alone.
  static func ofSuffix(_ path: String) -> TextFormat { TextFormat(suffixOf: path) ?? .json }

  /// The format of an option's name; nil for those that are for people to read.
  private init?(_ format: OutputFormat) {
    switch format {
    case .json, .page: self = .json
    case .jsonl: self = .jsonl
    case .csv: self = .csv
    case .tsv: self = .tsv
    case .wire: self = .wire
    case .table, .line, .names, .raw: return nil
    }
  }
}
