internal import Basics
internal import Commands
internal import Glibc

/// The place of the experiments: the program under test, and a folder for stores.
final class Laboratory {
  let ckdb: String
  let shim: String
  let work: String
  private var number = 0

  /// Makes the folder, in memory if the system has room for it. Throws `SystemError`.
  init(ckdb: String, shim: String) throws {
    self.ckdb = ckdb
    self.shim = shim
    let base = FileSystem.isDirectory("/dev/shm") ? "/dev/shm" : "/tmp"
    work = "\(base)/ckdb-faults-\(getpid())"
    try FileSystem.makeDirectory(work)
    // Files that the program makes in its working directory are removed with the rest.
    chdir(work)
  }

  func clean() { try? FileSystem.remove(work) }

  /// A free path.
  func path(_ name: String) -> String {
    number += 1
    return "\(work)/\(name)-\(number)"
  }

  // MARK: Stores

  /// A store with a container, in which commands have been run. Throws `Refusal`.
  func store(_ commands: [[String]] = []) throws -> String {
    let store = path("store")
    try must(store, ["container", "create", "iCloud.org.example.app"])
    for words in commands { try must(store, words) }
    return store
  }

  /// Copies a store to a new path. Throws `SystemError`.
  func copy(_ store: String, to path: String? = nil) throws -> String {
    let target = path ?? self.path("copy")
    try FileSystem.remove(target)
    try Self.copyTree(store, target)
    return target
  }

  private static func copyTree(_ source: String, _ target: String) throws {
    guard FileSystem.isDirectory(source) else {
      let file = try FileHandle(create: target)
      return try file.writeAll(FileSystem.contents(of: source))
    }
    try FileSystem.makeDirectory(target)
    for name in try FileSystem.list(source) {
      try copyTree("\(source)/\(name)", "\(target)/\(name)")
    }
  }

  /// Writes a file next to the stores and returns its path. Throws `SystemError`.
  func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = "\(work)/\(name)"
    try FileSystem.replace(path, with: bytes)
    return path
  }

  // MARK: Looking

  /// The result of a command that runs in this process, without faults.
  struct Answer: Equatable {
    var code: Int32
    var output: String
    var errors: String
  }

  /// A command that had to succeed.
  struct Refusal: Error {
    let words: [String]
    let answer: Answer
  }

  func answer(_ store: String, _ words: [String]) -> Answer {
    let (output, errors) = (ByteOutput(), ByteOutput())
    let variables = Self.variables
    let input = FileHandle(descriptor: 0, path: "standard input", closesAtEnd: false)
    let session = Session(
      Surroundings(
        variable: { variables[$0] }, workingDirectory: work, input: input, output: output,
        errors: errors))
    let code = session.run((["--store", store, "--yes"] + words).map { $0 })
    return Answer(
      code: code, output: String(decoding: output.buffer, as: UTF8.self),
      errors: String(decoding: errors.buffer, as: UTF8.self))
  }

  func must(_ store: String, _ words: [String]) throws {
    let answer = answer(store, words)
    guard answer.code == 0 else { throw Refusal(words: words, answer: answer) }
  }

  /// Clock and chance are fixed, so that the same commands make the same store.
  static let variables = ["CKDB_CLOCK": "2026-01-01T00:00:00Z", "CKDB_SEED": "1"]

  /// Everything that a user sees of a store, by commands in this process.
  func observe(_ store: String) -> [String] {
    Self.questions.map { words in
      let answer = answer(store, words)
      return "\(answer.code) \(answer.output)"
    }
  }

  private static let questions = [
    ["export"], ["-d", "public", "export"], ["zone", "list", "--json"], ["schema", "types"],
    ["-e", "production", "schema", "types"], ["-e", "production", "export"],
    ["store", "index", "list"], ["share", "list", "--json"], ["fixture", "export"],
    ["-d", "shared", "-u", "bob", "record", "list", "--json"],
    ["-d", "shared", "-u", "bob", "zone", "list", "-f", "names"],
    ["document", "list", "-l", "--json", "--device", "phone"],
    ["document", "conflicts", "--json", "--device", "phone"],
  ]

  /// The doctor's findings besides notices; nil for a sound store.
  func unsoundness(_ store: String) -> String? {
    let answer = answer(store, ["doctor", "--deep"])
    if answer.code == 0 { return nil }
    let rows = answer.output.split(separator: "\n").filter { !$0.hasPrefix("notice") }.dropFirst()
    return "doctor \(answer.code): \(rows.joined(separator: " / ")) \(answer.errors)"
  }

  // MARK: The program itself

  /// The program as a separate process, which the shim may disturb.
  func child(
    _ store: String, _ words: [String], faults: [String: String] = [:], limits: String = ""
  ) -> Child {
    var variables = Self.variables
    if !faults.isEmpty {
      variables["LD_PRELOAD"] = shim
      variables["FAULT_PATH"] = store + "/"
      variables.merge(faults) { $1 }
    }
    let command = [ckdb, "--store", store, "--yes"] + words
    guard !limits.isEmpty else { return Child(command, variables) }
    return Child(["/bin/sh", "-c", "\(limits); exec \"$@\"", "sh"] + command, variables)
  }
}
