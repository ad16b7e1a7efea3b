internal import CommandKit
internal import WireFormat

/// The format that the command line names.
extension TextFormat {
  /// The format that an option names, or else that of the file's suffix, or else JSON Lines.
  static func of(_ path: String?, _ settings: Settings) throws -> TextFormat {
    if let format = settings.explicitFormat {
      if let readable = format.ofFiles { return readable }
      throw CommandError(
        "records cannot be read or written as \(format.rawValue)", .usage,
        hint: "use json, jsonl, csv, tsv or wire")
    }
    return TextFormat(suffixOf: path) ?? .jsonl
  }

  /// The format of an input file: that of an option or of the file's suffix, or else JSON, whose
  /// reader also accepts JSON Lines.
  static func ofInput(_ path: String, _ settings: Settings) -> TextFormat {
    settings.explicitFormat?.ofFiles ?? ofSuffix(path)
  }

  /// The format of a file's suffix, or else JSON; for commands whose options name the output's.
  static func ofSuffix(_ path: String) -> TextFormat { TextFormat(suffixOf: path) ?? .json }
}
