internal import Testing

/// The house rules that a machine can check (design.md §1, §9, §10).
@Suite("Tidy")
struct TidyTests {
  /// Which targets of ours, and which libraries, each target may import.
  private static let allowedImports: [String: Set<String>] = {
    let values: Set = ["CloudModel", "Basics"]
    let notations: Set = ["PredicateLanguage", "SchemaLanguage"]
    return [
      "Basics": ["CSystem", "FoundationEssentials", "Synchronization"],
      "SQLite": ["CSQLite", "Basics"],
      "CommandKit": ["Basics"],
      "CloudModel": ["Basics"],
      "PredicateLanguage": values.union(["Synchronization"]),
      "SchemaLanguage": values,
      "WireFormat": values.union(["FoundationEssentials"]),
      "RecordStore": values.union(["SQLite", "PredicateLanguage", "Crypto"]),
      "CloudServices": values.union(notations).union(["RecordStore", "Synchronization"]),
      "Commands": values.union(notations).union([
        "CloudServices", "WireFormat", "CommandKit", "CReadline",
      ]),
      "ckdb": ["Commands", "Basics"],
    ]
  }()

  @Test("imports point down the layers only (design.md §1)")
  func importsPointDown() throws {
    for file in SourceFile.all(in: "Sources") {
      let allowed = try #require(
        Self.allowedImports[file.target], "\(file.path) is in no known target")
      for (line, module) in file.imports where module != "Glibc" && module != "Darwin" {
        #expect(allowed.contains(module), "\(file.path):\(line) imports \(module)")
      }
    }
  }

  @Test("readline is imported in one file")
  func readlineStandsApart() {
    let files = SourceFile.all(in: "Sources").filter { file in
      file.imports.contains { $0.module == "CReadline" }
    }
    #expect(files.map(\.path) == ["Sources/Commands/Prompt/LineEditor.swift"])
  }

  @Test("libraries neither crash, nor force, nor print, nor leave markers (design.md §9)")
  func librariesAreCareful() {
    let banned = [
      "try!", "as!", "fatalError(", "\tprint(", " print(", "TODO", "FIXME", "XXX",
      "import Foundation\n",
    ]
    for file in SourceFile.all(in: "Sources") {
      for (number, line) in file.lines.enumerated() {
        for word in banned where (line + "\n").contains(word) && !Self.isOwnPrint(line) {
          Issue.record("\(file.path):\(number + 1) has \(word)")
        }
      }
    }
  }

  /// The targets below the command line, which do not know it (design.md §7).
  private static let surfaceless: Set = [
    "CloudModel", "PredicateLanguage", "SchemaLanguage", "WireFormat", "RecordStore",
    "CloudServices",
  ]

  @Test("below the command line no text names a command or an option (design.md §7)")
  func textsFitEverySurface() {
    for file in SourceFile.all(in: "Sources") where Self.surfaceless.contains(file.target) {
      for (number, line) in file.lines.enumerated() {
        let isComment = line.drop { $0 == " " }.hasPrefix("//")
        #expect(
          isComment || !line.contains("ckdb ") && !Self.hasOption(line),
          "\(file.path):\(number + 1) names a command or an option")
      }
    }
  }

  private static func hasOption(_ line: String) -> Bool {
    line.firstMatch(of: /[ '"(]--[a-z]/) != nil
  }

  /// A function of ours may be named print.
  private static func isOwnPrint(_ line: String) -> Bool {
    line.contains("try print(request") || line.contains("func print(")
  }

  @Test("files end with one line end, have no tabs and no line over 100 columns (design.md §10)")
  func filesAreClean() {
    for file in SourceFile.all(in: "Sources") + SourceFile.all(in: "Tests") {
      for (number, line) in file.lines.enumerated() {
        #expect(
          line.unicodeScalars.count <= 100 || line.contains("\"ckdb ")
            || file.path.hasPrefix("Tests") && line.contains("\""),
          "\(file.path):\(number + 1) is too long")
        #expect(!line.contains("\t"), "\(file.path):\(number + 1) has a tab")
        #expect(line.last != " ", "\(file.path):\(number + 1) ends in a blank")
      }
    }
  }

  @Test("functions stay below 70 lines, files below 450 (design.md §10)")
  func unitsAreSmall() {
    for file in SourceFile.all(in: "Sources") {
      #expect(file.lines.count <= 450, "\(file.path) has \(file.lines.count) lines")
      for (line, length) in file.functionLengths {
        #expect(length <= 70, "\(file.path):\(line) is a function of \(length) lines")
      }
    }
  }

  @Test("the top level holds what it should, and no more (design.md §1)")
  func topLevelIsTidy() {
    let allowed: Set = [
      "Package.swift", "Sources", "Tests", "completions", "docs", "man", "README.md", "Makefile",
      "LICENSE", ".ci", ".gitignore", ".swift-format", ".editorconfig", ".git",
    ]
    let names = Directory.names(SourceFile.root).filter {
      !$0.hasPrefix(".build") && $0 != "Package.resolved" && $0 != ".swiftpm"
    }
    #expect(Set(names).subtracting(allowed).isEmpty)
    #expect(allowed.subtracting(names).isEmpty)
  }
}
