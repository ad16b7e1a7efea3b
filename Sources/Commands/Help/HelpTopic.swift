internal import Basics
internal import CommandKit

/// A page of help on a topic.
struct HelpTopic: Sendable {
  let name: String
  /// The subject, as part of a sentence.
  let summary: String
  /// Related commands and topics.
  let seeAlso: [String]
  /// The text: paragraphs, and lines that begin with blanks, which stay as they are.
  let text: String

  init(_ name: String, _ summary: String, seeAlso: [String], text: String) {
    (self.name, self.summary, self.seeAlso, self.text) = (name, summary, seeAlso, text)
  }

  /// The topics with a text of their own; 'rules' is the catalogue of rules, 'options' the list
  /// of the global options.
  static let all = (language + store + use + [tables]).sorted { utf8Precedes($0.name, $1.name) }

  /// The names of all topics.
  static let names = (all.map(\.name) + ["options", "rules"]).sorted(by: utf8Precedes)

  /// The topic with a name; nil if there is none.
  static func named(_ name: String, _ table: CommandTable<Context>) -> HelpTopic? {
    if name == "options" { return options(table) }
    return all.first { $0.name == name }
  }

  private static func options(_ table: CommandTable<Context>) -> HelpTopic {
    HelpTopic(
      "options", "the options of every command", seeAlso: ["environment", "use", "context"],
      text: """
        Every command takes these options, before or after its own. An option overrides its \
        environment variable, which overrides what 'ckdb use' saved, which overrides the default.

        \(table.globalOptions(width: 78))
        """)
  }

  /// The page wrapped at `width` columns.
  func page(_ width: Int, _ table: CommandTable<Context>) -> String {
    let others = seeAlso.map { word in
      let isCommand = table.find(word.split(separator: " ").map(String.init)).row != nil
      return isCommand ? "ckdb \(word)" : "ckdb help \(word)"
    }
    return text.wrapped(width, indent: 0)
      + "\n\n" + "See also: \(others.joined(separator: ", "))".wrapped(width, indent: 2)
  }
}
