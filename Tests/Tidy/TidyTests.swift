internal import Testing

/// The house rules that a machine can check (DS1, DS9, DS10).
@Suite("Tidy")
struct TidyTests {
  /// The targets and libraries that each target may import.
  private static let allowedImports: [String: Set<String>] = {
    let values: Set = ["CloudModel", "Basics"]
    let codecs = values.union(["FieldCodecs"])
    let notations: Set = ["PredicateLanguage", "SchemaLanguage"]
    return [
      "Basics": ["CPlatform", "Synchronization"],
      "SQLite": ["CSQLite", "Basics"],
      "CommandKit": ["Basics"],
      "CloudModel": ["Basics"],
      "FieldCodecs": values,
      "PredicateLanguage": codecs,
      "SchemaLanguage": values,
      "WireFormat": codecs,
      "CoreDataModel": values,
      "StoreFiles": values.union(["SQLite"]),
      "StoreHome": codecs.union(["SQLite", "StoreFiles"]),
      "RecordStore": codecs.union(["StoreFiles", "SQLite", "PredicateLanguage"]),
      "UbiquityStore": codecs.union(["StoreFiles", "SQLite"]),
      "CloudServices": codecs.union(notations).union([
        "StoreHome", "RecordStore", "UbiquityStore", "StoreFiles", "CoreDataModel",
        "Synchronization",
      ]),
      "Fixtures": values.union(["CloudServices", "SchemaLanguage", "WireFormat"]),
      "CoreLocation": ["CloudModel", "Foundation"],
      "CloudKit": values.union([
        "CoreLocation", "Fixtures", "CloudServices", "PredicateLanguage", "WireFormat",
        "FieldCodecs", "Foundation", "Synchronization",
      ]),
      "CloudKitTesting": values.union([
        "CloudKit", "Fixtures", "CloudServices", "WireFormat", "Foundation",
      ]),
      "CloudSync": values.union(["CloudServices", "WireFormat", "Synchronization"]),
      "Commands": codecs.union(notations).union([
        "CloudSync", "Fixtures", "CloudServices", "CoreDataModel", "WireFormat", "CommandKit",
        "CReadline",
        "CRules",
      ]),
      "ckdb": ["Commands", "Basics"],
      "Dashboard": codecs.union(notations).union([
        "Fixtures", "CloudServices", "WireFormat",
      ]),
      "WebServices": codecs.union(notations).union([
        "Dashboard", "Fixtures", "CloudServices", "WireFormat", "Crypto", "HTTPTypes",
        "HummingbirdCore",
        "HummingbirdTLS", "Logging", "NIOCore", "NIOHTTP1", "NIOHTTPTypes",
        "NIOHTTPTypesHTTP1", "NIOPosix",
        "NIOSSL", "ServiceLifecycle", "SwiftASN1", "Synchronization", "X509",
        "FoundationEssentials", "UnixSignals",
      ]),
      "ckdb-serve": ["WebServices", "Basics"],
      "ckdb-remote": [
        "Commands", "CloudSync", "CloudServices", "Basics", "AsyncHTTPClient", "Crypto", "NIOCore",
        "NIOHTTP1", "NIOPosix", "NIOSSL",
      ],
    ]
  }()

  @Test("imports point down the layers only (DS1)")
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

  @Test("libraries neither crash, nor force, nor print, nor leave markers (DS9)")
  func librariesAreCareful() {
    let banned = [
      "try!", "as!", "fatalError(", "\tprint(", " print(", "TODO", "FIXME", "XXX",
    ]
    for file in SourceFile.all(in: "Sources") {
      for (number, line) in file.lines.enumerated() {
        for word in banned where line.has(word) && !Self.isOwnPrint(line) {
          Issue.record("\(file.path):\(number + 1) has \(word)")
        }
      }
    }
  }

  /// The targets below the command line, which must not know it (DS7).
  private static let surfaceless: Set = [
    "CloudModel", "PredicateLanguage", "SchemaLanguage", "WireFormat", "CoreDataModel",
    "StoreFiles",
    "StoreHome",
    "RecordStore", "UbiquityStore", "CloudServices", "Fixtures", "CoreLocation", "CloudKit",
  ]

  @Test("below the command line no text names a command or an option (DS7)")
  func textsFitEverySurface() {
    for file in SourceFile.all(in: "Sources") where Self.surfaceless.contains(file.target) {
      for (number, line) in file.lines.enumerated() {
        guard line.has("ckdb ") || line.has("--") && Self.hasOption(line),
          !line.drop(while: { $0 == " " }).hasPrefix("//")
        else { continue }
        Issue.record("\(file.path):\(number + 1) names a command or an option")
      }
    }
  }

  private static func hasOption(_ line: String) -> Bool {
    line.firstMatch(of: /[ '"(]--[a-z]/) != nil
  }

  /// Functions of ours may be named print.
  private static func isOwnPrint(_ line: String) -> Bool {
    line.has("try print(request") || line.has("func print(")
  }

  @Test("texts are replaced by bytes: the standard library's replacing compares characters (DS9)")
  func replacesBytes() {
    for file in SourceFile.all(in: "Sources") {
      for (number, line) in file.lines.enumerated()
      where line.has("replacing(") && !line.has("`replacing(") {
        Issue.record("\(file.path):\(number + 1) replaces characters")
      }
    }
  }

  @Test("no switch over one of our enumerations has a default: the compiler finds them all (DS7)")
  func switchesAreComplete() {
    let files = SourceFile.all(in: "Sources")
    let switches = Switches(files)
    for file in files {
      for line in switches.defaults(in: file) {
        Issue.record("\(file.path):\(line) has a default")
      }
    }
  }

  @Test("files end with one line end, have no tabs and no line over 100 columns (DS10)")
  func filesAreClean() {
    for file in SourceFile.all(in: "Sources") + SourceFile.all(in: "Tests") {
      for (number, line) in file.lines.enumerated() {
        let place = "\(file.path):\(number + 1)"
        if Self.isTooLong(line, in: file) { Issue.record("\(place) is too long") }
        if line.has("\t") { Issue.record("\(place) has a tab") }
        if line.utf8.last == UInt8(ascii: " ") { Issue.record("\(place) ends in a blank") }
      }
    }
  }

  /// Commands in texts, and texts in tests, may be longer.
  private static func isTooLong(_ line: String, in file: SourceFile) -> Bool {
    line.utf8.count > 100 && line.unicodeScalars.count > 100 && !line.has("\"ckdb ")
      && !(file.path.hasPrefix("Tests") && line.has("\""))
  }

  @Test("functions stay below 70 lines, files below 450 (DS10)")
  func unitsAreSmall() {
    for file in SourceFile.all(in: "Sources") {
      #expect(file.lines.count <= 450, "\(file.path) has \(file.lines.count) lines")
      for (line, length) in file.functionLengths {
        #expect(length <= 70, "\(file.path):\(line) is a function of \(length) lines")
      }
    }
  }

  @Test("each rule that a comment or a test cites is in the catalogue, exactly once")
  func citedRules() {
    let catalogue = Directory.contents("\(SourceFile.root)/Tests/Conformance/RULES.md")
    let ids = catalogue.split(separator: "\n").compactMap {
      $0.firstMatch(of: /^- \*\*([A-Z]+[0-9.]+)\*\* .+ \[.+\]$/).map { String($0.1) }
    }
    #expect(ids.count > 1000 && Set(ids).count == ids.count)
    let known = Set(ids)
    var (cited, unknown): (Int, [String]) = (0, [])
    for file in SourceFile.all(in: "Sources") + SourceFile.all(in: "Tests") {
      for (number, line) in file.lines.enumerated() {
        guard line.utf8.contains(where: { 48...57 ~= $0 }), let text = SourceFile.prose(of: line)
        else { continue }
        for found in text.matches(of: /\b(?:R|P|L|W|N|K[ABC]?|D|E|RS|M|DS|C|F|S|T)[0-9][0-9.]*/) {
          let id = String(found.0).trimmingSuffix(".")
          cited += 1
          if !known.contains(id) { unknown.append("\(file.path):\(number + 1): \(id)") }
        }
      }
    }
    #expect(unknown == [])
    #expect(cited > 900)
  }

  @Test("the top level has the expected entries only (DS1)")
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
