internal import CommandKit

/// The formats that records are imported from and exported to (`cli.md` §5).
enum TextFormat: Sendable {
  case json
  case jsonl
  case csv
  case tsv
  case wire
  case propertyList

  /// The format that an option names, else the one of the file's suffix, else JSON Lines.
  static func of(_ path: String?, _ settings: Settings) throws -> TextFormat {
    if let format = settings.explicitFormat {
      switch format {
      case .json, .page: return .json
      case .jsonl: return .jsonl
      case .csv: return .csv
      case .tsv: return .tsv
      case .wire: return .wire
      case .table, .line, .names, .raw:
        throw CommandError(
          "records are not read or written as \(format.rawValue)", .usage,
          hint: "use json, jsonl, csv, tsv or wire")
      }
    }
    guard let path, let dot = path.lastIndex(of: ".") else { return .jsonl }
    switch path[dot...].lowercased() {
    case ".json": return .json
    case ".csv": return .csv
    case ".tsv": return .tsv
    case ".plist", ".xml": return .propertyList
    default: return .jsonl
    }
  }
}
