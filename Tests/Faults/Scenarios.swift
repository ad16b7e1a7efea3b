internal import Basics

/// Commands that change a store, one after another, and the views of it before and after each.
struct Scenario {
  let name: String
  /// Makes the store before the first step.
  let prepare: (Laboratory) throws -> String
  let steps: [[String]]
  /// Whether an interrupted store is repaired before it is checked.
  var needsRepair = false
  /// Whether change tokens differ in each run.
  var beginsIncarnation = false

  /// A scenario whose store is made by commands.
  init(_ name: String, _ setup: [[String]], _ steps: [[String]]) {
    self.init(name, prepare: { try $0.store(setup) }, steps)
  }

  init(
    _ name: String, prepare: @escaping (Laboratory) throws -> String, _ steps: [[String]],
    needsRepair: Bool = false, beginsIncarnation: Bool = false
  ) {
    self.name = name
    self.prepare = prepare
    self.steps = steps
    self.needsRepair = needsRepair
    self.beginsIncarnation = beginsIncarnation
  }

  /// The part of a user's view of a store that is the same in each run.
  func view(_ laboratory: Laboratory, _ store: String) -> [String] {
    let answers = laboratory.observe(store)
    guard beginsIncarnation else { return answers }
    return answers.map { answer in
      answer.split(separator: ",").filter { !$0.hasPrefix("\"changeToken\":") }
        .joined(separator: ",")
    }
  }

  /// The stores before each step, and the views before each step and after the last one.
  struct Course {
    var stores: [String]
    var views: [[String]]
  }

  /// Runs the steps without faults. Throws if one fails.
  func course(_ laboratory: Laboratory) throws -> Course {
    let store = try prepare(laboratory)
    var course = Course(stores: [], views: [])
    for words in steps {
      course.stores.append(try laboratory.copy(store))
      course.views.append(view(laboratory, store))
      let end = try laboratory.child(store, words).run()
      guard end.code == 0 else {
        throw Laboratory.Refusal(
          words: words, answer: .init(code: end.code, output: "", errors: end.errors))
      }
    }
    course.views.append(view(laboratory, store))
    return course
  }

  // MARK: What is done

  /// All scenarios; makes their files in the laboratory. Throws `SystemError`.
  static func all(_ laboratory: Laboratory) throws -> [Scenario] {
    let small = try laboratory.file("small", Array("small contents".utf8))
    let other = try laboratory.file("other", Array(repeating: 0x61, count: 20_000))
    let large = String(repeating: "long text ", count: 3000)
    let records = try laboratory.file("records.jsonl", importedRecords(300))
    return [
      Scenario(
        "kvs", [["device", "add", "phone"], ["device", "add", "pad"]],
        [
          ["kvs", "set", "a=1", "b:=2", "--device", "phone"],
          ["kvs", "sync", "--device", "phone"], ["kvs", "sync", "--device", "pad"],
          ["kvs", "remove", "a", "--device", "pad"],
          ["kvs", "sync", "--all-devices", "--device", "pad"],
          ["kvs", "set", "large=\(large)", "--device", "phone"],
          ["kvs", "limits", "ios5"],
        ]),
      documents(small, other),
      Scenario(
        "save", [],
        [
          ["record", "save", "Note", "--name", "a", "text=x", "n:=1"],
          ["record", "save", "Note", "--name", "b", "text=\(large)"],
          ["record", "save", "Note", "--name", "c", "new:=1.5", "tags:=[\"a\",\"b\"]"],
          ["record", "save", "Note", "-d", "public", "--name", "p", "text=x"],
        ]),
      Scenario(
        "update", [["record", "save", "Note", "--name", "a", "text=\(large)"]],
        [
          ["record", "save", "Note", "--name", "a", "--policy", "changed", "n:=2"],
          ["record", "save", "Note", "--name", "a", "--policy", "all", "text=short"],
        ]),
      Scenario(
        "cascade", family(30),
        [["record", "delete", "c20", "-z", "Z"], ["record", "delete", "root", "-z", "Z"]]),
      assets(small, other),
      Scenario(
        "zone", [["record", "save", "Note", "--name", "keep", "text=x"]] + family(10),
        [["zone", "create", "New"], ["zone", "delete", "Z"], ["zone", "create", "Z"]]),
      Scenario(
        "import", [["record", "save", "Note", "--name", "a", "text=x"]],
        [["import", "Note", records]]),
      Scenario(
        "index", [["import", "Note", records]],
        [
          ["store", "index", "build", "Note", "text", "tags", "allTokens"],
          ["record", "save", "Note", "--name", "a", "text=one more", "tags:=[\"t1\"]"],
          ["store", "index", "drop", "Note"],
        ]),
      Scenario(
        "schema", family(5),
        [
          ["schema", "add", "Item", "weight:DOUBLE"], ["schema", "drop", "Note.text"],
          ["schema", "deploy"], ["schema", "add", "Item", "more:STRING"], ["schema", "reset"],
        ]),
      Scenario(
        "compact", family(30) + [["record", "delete", "root", "-z", "Z"]], [["store", "compact"]]),
      Scenario(
        "migrate", prepare: storeOfFormat4, [["record", "save", "Note", "--name", "new", "n:=1"]],
        beginsIncarnation: true),
      try sharing(laboratory),
      Scenario("repair", prepare: damagedStore, [["doctor", "--repair"]], needsRepair: true),
    ]
  }

  private static func documents(_ small: String, _ other: String) -> Scenario {
    func on(_ device: String, _ words: String...) -> [String] {
      ["document"] + words + ["--device", device]
    }
    let path = "Documents/a.txt"
    return Scenario(
      "documents",
      [
        ["device", "add", "phone"], ["device", "add", "pad", "--kind", "mac"],
        on("phone", "put", small, "Documents/old.txt"), on("phone", "sync"),
      ],
      [
        on("phone", "put", small, path), on("phone", "sync"), on("pad", "sync"),
        on("pad", "put", other, path, "--at", "2026-01-01T00:00:02Z"),
        on("phone", "edit", path, "--append", "more"), on("pad", "sync"), on("phone", "sync"),
        on("phone", "resolve", path, "--keep", "both"), on("phone", "sync"),
        on("phone", "move", path, "Documents/b.txt"), on("phone", "remove", "Documents/old.txt"),
        ["document", "sync", "--all-devices", "--device", "phone"],
        on("phone", "restore", "Documents/old.txt"), on("phone", "evict", "Documents/b.txt"),
        on("phone", "open", "Documents/b.txt"),
        on("phone", "change", "Documents/b.txt", "--set-text", "text"),
        on("phone", "close", "Documents/b.txt"),
      ])
  }

  private static func assets(_ small: String, _ other: String) -> Scenario {
    Scenario(
      "asset",
      [
        ["record", "save", "Photo", "--name", "a", "n:=1"],
        ["record", "save", "Photo", "--name", "b", "n:=1"],
      ],
      [
        ["asset", "put", "a", "file", small], ["asset", "put", "b", "file", small],
        ["asset", "put", "a", "file", other], ["record", "delete", "b"], ["asset", "gc"],
        ["record", "save", "Photo", "--name", "c", "file@\(small)", "other@\(other)"],
      ])
  }

  /// A shared hierarchy, with a participant who gains and loses records, leaves, and the end of it.
  private static func sharing(_ laboratory: Laboratory) throws -> Scenario {
    let lists =
      [
        ["zone", "create", "Z"], ["record", "save", "List", "-z", "Z", "--name", "root", "text=x"],
      ]
      + (0..<20).map { index in
        let parent = index == 0 ? "root" : "c\((index - 1) / 2)"
        return ["record", "save", "Item", "-z", "Z", "--name", "c\(index)", "--parent", parent]
      } + [["record", "save", "Item", "-z", "Z", "--name", "alone"]]
    let share = [
      "share", "create", "root", "-z", "Z", "--with", "bob:write", "--title", "Saturday",
    ]
    let url =
      laboratory.answer(try laboratory.store(lists), share).output
      .split(separator: "\n").first.map(String.init) ?? ""
    let asBob = ["-d", "shared", "-z", "Z", "-u", "bob"]
    return Scenario(
      "share", lists,
      [
        share, ["-u", "bob", "share", "accept", url],
        asBob + ["record", "save", "Item", "--name", "new", "--parent", "root", "text=y"],
        ["-z", "Z", "record", "save", "Item", "--name", "c1", "--policy", "changed", "--replace"],
        [
          "-z", "Z", "record", "save", "Item", "--name", "alone", "--parent", "c2", "--policy",
          "changed",
        ],
        ["-z", "Z", "share", "edit", "root", "--add", "cem", "--set", "bob:read"],
        ["-z", "Z", "record", "delete", "new"], ["-u", "bob", "share", "leave", "root"],
        ["-z", "Z", "share", "edit", "root", "--add", "bob"],
        ["-u", "bob", "share", "accept", url], ["-z", "Z", "share", "stop", "root"],
      ])
  }

  /// A tree of records that are deleted with one another.
  private static func family(_ count: Int) -> [[String]] {
    [["zone", "create", "Z"], ["record", "save", "Note", "-z", "Z", "--name", "root", "text=x"]]
      + (0..<count).map { index in
        let target = index == 0 ? "root" : "c\(index / 2)"
        return [
          "record", "save", "Item", "-z", "Z", "--name", "c\(index + 1)",
          "up:reference=\(index == 0 ? target : "c\((index + 1) / 2)"),delete",
        ]
      }
  }

  private static func importedRecords(_ count: Int) -> [UInt8] {
    var text = ""
    for index in 0..<count {
      text += """
        {"recordName":"r\(index)","fields":{"text":"words of number \(index)",\
        "tags":["t\(index % 7)","u"],"n":\(index)}}

        """
    }
    return Array(text.utf8)
  }

  private static func database(_ store: String) -> String {
    "\(store)/containers/iCloud.org.example.app/development/records.sqlite"
  }

  private static func storeOfFormat4(_ laboratory: Laboratory) throws -> String {
    let store = try laboratory.store()
    let script =
      FileSystem.parent(of: FileSystem.parent(of: #filePath))
      + "/RecordStore/Fixtures/format-4.sql"
    try FileSystem.remove(database(store))
    let end = try Child(
      ["/usr/bin/sqlite3", database(store), "PRAGMA journal_mode = WAL", ".read \(script)"], [:]
    ).run()
    guard end.code == 0 else { throw SystemError("make", database(store)) }
    try FileSystem.remove(database(store) + "-shm")
    let hash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    let shard = FileSystem.parent(of: database(store)) + "/assets/2c/f2"
    try FileSystem.makeDirectories(shard)
    try FileSystem.replace("\(shard)/\(hash)", with: Array("hello".utf8))
    return store
  }

  private static func damagedStore(_ laboratory: Laboratory) throws -> String {
    let store = try laboratory.store(family(20))
    let end = try Child(
      [
        "/usr/bin/sqlite3", database(store),
        "DELETE FROM _record WHERE name = 'c9'; DELETE FROM _reference; "
          + "PRAGMA wal_checkpoint(TRUNCATE)",
      ], [:]
    ).run()
    guard end.code == 0 else { throw SystemError("damage", database(store)) }
    return store
  }
}
