internal import Basics
internal import Glibc

/// Documents among many processes (D51, F05).
enum DocumentRaces {
  static let experiments = [
    Experiment(name: "document-reads", run: reads),
    Experiment(name: "document-writers", run: writers),
    Experiment(name: "export-races", run: exports),
  ]

  private static let path = "Documents/f"
  private static let readCount = 1000
  private static let exportCount = 400

  /// While others save, each read gets the whole contents of one save.
  private static func reads(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let store = try laboratory.store([["device", "add", "phone"]])
    let files = try (0..<10).map { number in
      try laboratory.file("f\(number)", Array(repeating: 0x30 + UInt8(number), count: 100_000))
    }
    try laboratory.must(store, ["document", "put", files[0], path, "--device", "phone"])
    let isDone = Locked(false)
    let failures = Locked<[String]>([])
    let saves = Locked(0)
    let program = Writers.Program(laboratory, store)
    let writer = try Worker {
      var number = 0
      while !isDone.withLock({ $0 }) || number < readCount {
        let words = ["document", "put", files[number % 10], path, "--device", "phone"]
        if let failure = program.run(words) { failures.withLock { $0.append(failure) } }
        number += 1
        saves.withLock { $0 = number }
      }
    }
    var torn = 0
    let copy = laboratory.path("read")
    for _ in 0..<readCount {
      let words = ["document", "get", path, "--output", copy, "--device", "phone"]
      if let failure = program.run(words) { failures.withLock { $0.append(failure) } }
      let bytes = try FileSystem.contents(of: copy)
      if bytes.count != 100_000 || Set(bytes).count != 1 { torn += 1 }
      try FileSystem.remove(copy)
    }
    isDone.withLock { $0 = true }
    writer.join()
    let errors = Writers.report(failures, findings)
    if torn > 0 { findings.add("\(torn) torn reads") }
    if let text = laboratory.unsoundness(store) { findings.add(text) }
    return "\(readCount) reads during \(saves.withLock { $0 }) saves: \(torn) torn, "
      + "\(errors) errors shown"
  }

  /// Eight processes save and sync documents on one device at once.
  private static func writers(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let store = try laboratory.store([
      ["device", "add", "phone"], ["device", "add", "mac", "--kind", "mac"],
    ])
    let file = try laboratory.file("small", Array("small contents".utf8))
    let failures = Locked<[String]>([])
    let program = Writers.Program(laboratory, store)
    let each = 125
    Writers.together { worker in
      for number in 0..<each {
        for words in [["put", file, "Documents/\(worker)-\(number)"], ["sync"]] {
          let failure = program.run(["document"] + words + ["--device", "phone"])
          if let failure { failures.withLock { $0.append(failure) } }
        }
      }
    }
    let errors = Writers.report(failures, findings)
    try laboratory.must(store, ["document", "sync", "--device", "mac"])
    let list = laboratory.answer(store, ["document", "list", "-f", "names", "--device", "mac"])
    let found = list.output.split(separator: "\n").count
    if found != 8 * each { findings.add("\(found) documents on the other device") }
    if let text = laboratory.unsoundness(store) { findings.add(text) }
    return "8 × \(each) documents: \(8 * each - found) lost, \(errors) errors shown"
  }

  /// Exports are whole while others replace and delete contents and collect them.
  private static func exports(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let store = try laboratory.store([["device", "add", "mac", "--kind", "mac"]])
    let files = try (0..<10).map { try laboratory.file("f\($0)", Array("contents \($0)".utf8)) }
    let isDone = Locked(false)
    let failures = Locked<[String]>([])
    try laboratory.must(store, ["record", "save", "Note", "--name", "d0", "file@\(files[0])"])
    let program = Writers.Program(laboratory, store)
    let changer = try Worker {
      var number = 0
      while !isDone.withLock({ $0 }) {
        let (name, file) = ("d\(number % 7)", files[number % 10])
        for words in [
          ["record", "save", "Note", "--name", name, "--policy", "all", "file@\(file)"],
          ["document", "put", file, "Documents/\(name)", "--device", "mac"],
          number % 3 == 0
            ? ["record", "delete", name]
            : ["document", "remove", "Documents/\(name)", "--device", "mac"],
          number % 2 == 0 ? ["asset", "gc"] : ["document", "sync", "--device", "mac"],
        ] {
          if let failure = program.run(words) { failures.withLock { $0.append(failure) } }
        }
        number += 1
      }
    }
    let copy = laboratory.path("export")
    for round in 0..<exportCount {
      let words =
        round % 2 == 0
        ? ["account", "export", "me", "--output", copy]
        : ["fixture", "export", "--output", "\(copy)/all.json", "--assets", "files"]
      if round % 2 == 1 { try FileSystem.makeDirectories(copy) }
      if let failure = program.run(words) { failures.withLock { $0.append(failure) } }
      try? FileSystem.remove(copy)
    }
    isDone.withLock { $0 = true }
    changer.join()
    let errors = Writers.report(failures, findings)
    if let text = laboratory.unsoundness(store) { findings.add(text) }
    return "\(exportCount) exports: \(errors) errors shown"
  }
}
