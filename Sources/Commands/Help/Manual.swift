internal import CommandKit

extension CommandTable<Context> {
  /// The manual, with the pages made from help topics.
  func manual(date: String) -> [ManualPage] {
    func text(_ name: String) -> String { HelpTopic.named(name, self)?.text ?? "" }
    let texts = ManualTexts(
      description: """
        ckdb keeps records as CloudKit does: in containers, databases and zones, with change tags \
        and NSPredicate queries, in a local store on SQLite. It needs no Apple account and no \
        network.

        Without a command it reads commands: from the prompt on a terminal, else from standard \
        input.
        """,
      environment: text("environment"), files: text("files"), exitStatus: statusList,
      exitSummary:
        "ckdb exits with 0 on success, 1 if the answer is no, and a code above 1 on errors.")
    return manual(
      date: date, texts,
      topics: [
        ManualTopic(
          "predicate", section: 7, "the language of predicates",
          parts: [("", text("predicates"))], seeAlso: ["ckdb-query 1", "ckdb-predicate 1"]),
        ManualTopic(
          "fixture", section: 5, "fixture files", parts: [("", text("fixtures"))],
          seeAlso: ["ckdb-fixture 1", "ckdb-exec 1", "ckdb-assert 1"]),
        ManualTopic(
          "store", section: 5, "what a store contains",
          parts: [("", text("store")), ("Files", text("files")), ("Tables", text("tables"))],
          seeAlso: ["ckdb-store 1", "ckdb-doctor 1"]),
      ])
  }

  /// The exit codes as lines that are not wrapped.
  private var statusList: String {
    let lines = HelpTopic.named("exit-codes", self)?.text.split(separator: "\n") ?? []
    return lines.map { "  \($0)" }.joined(separator: "\n")
  }
}
