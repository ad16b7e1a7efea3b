internal import Basics
internal import CRules
internal import CommandKit

/// The catalogue of rules (`Tests/Conformance/RULES.md`), embedded in the program.
enum RuleCatalog {
  /// A rule: `- **R4.4.6** What it says. [Source; source]`.
  struct Entry {
    let id: Substring
    let text: Substring

    fileprivate init?(_ line: Substring) {
      guard line.hasPrefix("- **"), let end = line.dropFirst(4).firstRange(of: "** ") else {
        return nil
      }
      id = line.dropFirst(4)[..<end.lowerBound]
      text = line[end.upperBound...]
    }

    /// Whether the id is the given one or below it: `R4.4` includes `R4.4.6`.
    func belongs(to other: String) -> Bool { id == other || id.hasPrefix(other + ".") }
  }

  private static var lines: [Substring] {
    let bytes = UnsafeRawBufferPointer(start: ckdb_rules, count: ckdb_rules_size)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  /// The rules of an id, including its parts.
  static func entries(of id: String) -> [Entry] {
    lines.lazy.compactMap { Entry($0) }.filter { $0.belongs(to: id) }
  }

  /// All ids, in the order of the catalogue.
  static var ids: [String] { lines.compactMap { Entry($0).map { String($0.id) } } }

  /// Explains the given rules, or lists all by subject. Throws `CommandError` for an unknown id.
  static func show(_ ids: [String], _ context: Context, width: Int) throws {
    guard !ids.isEmpty else { return showAll(context, width) }
    for id in ids {
      let found = entries(of: id.uppercased())
      guard !found.isEmpty else {
        throw CommandError(
          "no rule '\(id)'", .no,
          hint: Suggestion.nearest(to: id, among: Self.ids).map { "did you mean \($0)?" }
            ?? "'ckdb help rules' lists them")
      }
      for entry in found { show(entry, context, width) }
    }
  }

  private static func showAll(_ context: Context, _ width: Int) {
    // Skip the introduction, which is for readers of the repository.
    for line in lines.drop(while: { Entry($0) == nil && !$0.hasPrefix("## ") }) {
      if let entry = Entry(line) {
        show(entry, context, width)
      } else if line.hasPrefix("## ") {
        context.output.line("\n\(line.dropFirst(3))\n")
      }
    }
  }

  private static func show(_ entry: Entry, _ context: Context, _ width: Int) {
    context.output.line("\(entry.id)  \(entry.text)".wrapped(width, indent: 2))
  }
}
