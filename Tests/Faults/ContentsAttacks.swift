internal import Basics
internal import Glibc

/// Contents by their hashes: damaged ones leave no store, and a hash alone gives nobody a file
/// (issue 53).
enum ContentsAttacks {
  static let experiments = [
    Experiment(name: "damaged-contents", run: damaged),
    Experiment(name: "hash-oracles", run: oracles),
  ]

  private static let folder = "containers/iCloud.org.example.app"

  // MARK: Damaged contents

  private static let verbs: [[String]] = [
    ["asset", "get", "r", "file", "-o", "-"], ["asset", "get", "r", "file", "-o", "OUT"],
    ["export", "Note", "--assets", "OUT"], ["document", "get", "Documents/a"],
    ["document", "get", "Documents/a", "-o", "OUT"], ["document", "take", "Documents/a", "OUT"],
    ["document", "mount", "OUT"], ["document", "edit", "Documents/a", "--append", "x"],
    ["document", "backup", "-o", "OUT"], ["fixture", "export", "-o", "OUT"],
    ["account", "export", "me", "-o", "OUT"], ["snapshot", "restore", "seeded"],
  ]

  private static func damaged(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    var random = SplitMix64(state: 7)
    var runs = 0
    for size in [1, 300, 70_000, 3_000_000] {
      let contents = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let file = try laboratory.file("contents", contents)
      let seed = try laboratory.store([
        ["record", "save", "Note", "--name", "r", "file@\(file)"],
        ["document", "put", file, "Documents/a"], ["snapshot", "save", "seeded"],
      ])
      for words in verbs {
        for place in 0..<4 {
          runs += 1
          let store = try laboratory.copy(seed, to: "\(laboratory.work)/damaged")
          let out = "\(laboratory.work)/out"
          try FileSystem.remove(out)
          for owner in ["", "snapshots/seeded/"] {
            try flip(in: "\(store)/\(owner)\(folder)", at: place, of: size, &random)
          }
          let answer = laboratory.answer(store, words.map { $0 == "OUT" ? out : $0 })
          let what = "\(words.prefix(2).joined(separator: " ")), \(size) bytes"
          if answer.code != 78 { findings.add("\(what): exit \(answer.code)") }
          if words.last == "-" || words.last == "Documents/a", !answer.output.isEmpty {
            findings.add("\(what): \(answer.output.utf8.count) bytes printed")
          }
          if try !named(out).isEmpty { findings.add("\(what): wrote \(try named(out))") }
        }
      }
    }
    return "\(runs) runs, \(findings.count) gave damaged contents"
  }

  /// Flips a bit in each file of contents below a folder: at its ends or anywhere.
  private static func flip(
    in folder: String, at place: Int, of size: Int, _ random: inout SplitMix64
  ) throws {
    var paths: [String] = []
    try FolderTree(folder).walk {
      if $0.isRegular, FileSystem.name(of: $0.path).utf8.count == 64 {
        paths.append("\(folder)/\($0.path)")
      }
      return true
    } failed: {
      throw SystemError("read", $0, number: $1.number)
    }
    for path in paths {
      var bytes = try FileSystem.contents(of: path)
      let index = place == 0 ? 0 : place == 1 ? size - 1 : Int(random.next() % UInt64(size))
      bytes[index] ^= 1 << UInt8(random.next() % 8)
      // A new file: the former one has the same contents in another store.
      try FileSystem.remove(path)
      try FileSystem.replace(path, with: bytes)
    }
  }

  /// The files below an output, apart from a mount's own.
  private static func named(_ out: String) throws -> [String] {
    guard FileSystem.exists(out) else { return [] }
    guard FileSystem.isDirectory(out) else { return [out] }
    var names: [String] = []
    try FolderTree(out).walk {
      if $0.path.hasPrefix(".ckdb") { return false }
      if $0.isRegular { names.append($0.path) }
      return true
    } failed: {
      throw SystemError("read", $0, number: $1.number)
    }
    return names
  }

  // MARK: Oracles

  private static func oracles(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    var hashes: [(hash: String, size: Int)] = []
    var commands = [["-u", "bob", "record", "save", "Note", "--name", "own", "n:=1"]]
    for number in 0..<20 {
      let contents = Array("secret number \(number)".utf8)
      let file = try laboratory.file("secret\(number)", contents)
      hashes.append((SHA256.hash(contents).hexadecimal, contents.count))
      commands.append(
        ["-u", "ann", "record", "save", "Note", "--name", "r\(number)", "file@\(file)"])
      commands.append(["-u", "ann", "document", "put", file, "Documents/d\(number)"])
    }
    let store = try laboratory.store(commands)
    var (runs, unknown) = (0, 0)
    for (hash, size) in hashes {
      // Contents of another account, and contents of nobody, must look the same.
      let nobody = String(hash.reversed())
      for database in ["private", "public"] {
        let answers = try [hash, nobody].map { hash in
          try attempts(hash, size, database, laboratory).map { words in
            runs += 1
            let answer = laboratory.answer(store, words)
            if answer.code == 0 { findings.add("\(words): it got the contents") }
            return "\(answer.code) \(answer.output) \(answer.errors)"
              .split(separator: hash).joined(separator: "HASH")
          }
        }
        if answers[0] != answers[1] { findings.add("\(database): \(answers)") }
        unknown += answers[0].count
      }
    }
    return "\(runs) attempts, \(unknown) pairs compared, \(findings.count) differences"
  }

  private static func attempts(
    _ hash: String, _ size: Int, _ database: String, _ laboratory: Laboratory
  ) throws -> [[String]] {
    let value = #"{"sha256":"\#(hash)","size":\#(size)}"#
    let record =
      #"{"recordName":"b","recordType":"Note","fields":{"file":{"value":\#(value),"type":"ASSET"}}}"#
    let batch = try laboratory.file("batch.json", Array("[\(record)]".utf8))
    let who = ["-u", "bob", "-d", database]
    return [
      who + ["record", "save", "Note", "--name", "b", "file:=\(value)"],
      who + ["record", "save", "--from", batch], who + ["import", batch],
      who + ["query", "Note", "file == 'x'"],
    ]
  }
}
