/// A line of the prompt as saved in the history.
enum HistoryLine {
  private static let secrets = ["--token", "--key", "--password", "password", "token", "secret"]

  /// The line with secrets replaced by `…`; nil for a line that is not kept, such as one that
  /// begins with a blank.
  static func kept(_ line: String) -> String? {
    guard !line.isEmpty, !line.hasPrefix(" ") else { return nil }
    var words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    for index in words.indices {
      let name = words[index].prefix { $0 != "=" && $0 != ":" }
      guard secrets.contains(name.lowercased()) else { continue }
      if name.count < words[index].count {
        words[index] = "\(name)=…"
      } else if name.hasPrefix("--"), index + 1 < words.count {
        words[index + 1] = "…"
      }
    }
    return words.joined(separator: " ")
  }
}
