/// The formats of imported and exported records (M5).
public enum TextFormat: Sendable {
  case json
  case jsonl
  case csv
  case tsv
  case wire
  case propertyList

  /// The format of a file's suffix; nil for an unknown suffix.
  public init?(suffixOf path: String?) {
    guard let path, let dot = path.lastIndex(of: ".") else { return nil }
    switch path[dot...].lowercased() {
    case ".json": self = .json
    case ".jsonl": self = .jsonl
    case ".csv": self = .csv
    case ".tsv": self = .tsv
    case ".plist", ".xml": self = .propertyList
    default: return nil
    }
  }
}
