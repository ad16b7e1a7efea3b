internal import Basics
internal import Glibc

/// Many processes at once (F05, F06): nothing is lost, and no process reports an error.
enum Writers {
  static let experiments = [
    Experiment(name: "writers", run: saves), Experiment(name: "increments", run: increments),
    Experiment(name: "creation-race", run: creations),
    Experiment(name: "backups", run: backups),
  ]

  private static let workers = 8
  private static let each = 1000

  /// Runs work in several threads at once.
  static func together(_ work: @escaping @Sendable (Int) -> Void) {
    let threads = (0..<workers).compactMap { index in try? Worker { work(index) } }
    threads.forEach { $0.join() }
  }

  /// Reports the errors of programs that failed; returns their number.
  static func report(_ failures: borrowing Locked<[String]>, _ findings: Findings) -> Int {
    let texts = failures.withLock { $0 }
    for text in texts { findings.add(text) }
    return texts.count
  }

  /// Each save is a separate process.
  private static func saves(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let store = try laboratory.store()
    let failures = Locked<[String]>([])
    let waits = Locked<[Int64]>([])
    let program = Program(laboratory, store)
    together { worker in
      for index in 0..<each {
        let start = Platform.monotonicMilliseconds
        let failure = program.run([
          "record", "save", "Item", "--name", "w\(worker)-\(index)", "n:=1",
        ])
        waits.withLock { $0.append(Platform.monotonicMilliseconds - start) }
        if let failure { failures.withLock { $0.append(failure) } }
      }
    }
    let found = laboratory.answer(store, ["query", "Item", "--count"]).output
    let errors = report(failures, findings)
    if found != "\(workers * each)\n" { findings.add("records: \(found)") }
    try checkTags(laboratory, store, findings)
    if let text = laboratory.unsoundness(store) { findings.add(text) }
    let sorted = waits.withLock { $0.sorted() }
    let lost = workers * each - (Int(found.dropLast()) ?? 0)
    return "\(workers) × \(each) saves: \(lost) lost, \(errors) errors shown, "
      + "p50 \(sorted[sorted.count / 2]) p99 \(sorted[sorted.count * 99 / 100]) "
      + "max \(sorted[sorted.count - 1]) ms"
  }

  /// No two records have the same change tag.
  private static func checkTags(
    _ laboratory: Laboratory, _ store: String, _ findings: Findings
  ) throws {
    let tags = laboratory.answer(
      store, ["record", "list", "Item", "--fields", "changeTag", "-f", "raw"]
    )
    .output.split(separator: "\n")
    if Set(tags).count != workers * each { findings.add("\(Set(tags).count) different tags") }
  }

  /// Each process reads a counter and saves it plus one with the tag it read, until that works.
  private static func increments(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let store = try laboratory.store([["record", "save", "Counter", "--name", "c", "n:=0"]])
    let errors = Locked(0)
    let conflicts = Locked(0)
    let program = Program(laboratory, store)
    together { _ in
      do {
        let child = program.session()
        try child.open()
        for _ in 0..<each {
          while true {
            let line = child.ask("record fetch c -f jsonl") ?? ""
            guard let json = try? JSONParser.parse(line), let tag = json["changeTag"]?.string,
              case .int(let number)? = json["fields"]?["n"]
            else {
              errors.withLock { $0 += 1 }
              return
            }
            let save = "record save Counter --name c --tag \(tag) n:=\(number + 1) -f names -q"
            if child.ask("\(save)\nversion") == "c" {
              _ = child.ask("")
              break
            }
            conflicts.withLock { $0 += 1 }
          }
        }
        _ = child.finish()
      } catch { errors.withLock { $0 += 1 } }
    }
    let found = laboratory.answer(store, ["record", "fetch", "c", "--fields", "n", "-f", "raw"])
      .output
    if found != "\(workers * each)\n" { findings.add("the counter is \(found)") }
    if errors.withLock({ $0 }) > 0 { findings.add("\(errors.withLock { $0 }) errors shown") }
    if let text = laboratory.unsoundness(store) { findings.add(text) }
    return "\(workers) × \(each) increments by tag: counter \(found.dropLast()), "
      + "\(conflicts.withLock { $0 }) conflicts, \(errors.withLock { $0 }) errors shown"
  }

  /// Copies of a store that eight prompts write to: each copy is sound and has everything each
  /// writer saved up to some moment (F17).
  private static func backups(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let store = try laboratory.store()
    let program = Program(laboratory, store)
    let isDone = Locked(false)
    let saved = Locked(0)
    let writers = (0..<workers).compactMap { worker in
      try? Worker {
        let child = program.session()
        guard (try? child.open()) != nil else { return }
        var index = 0
        while !isDone.withLock({ $0 }) {
          guard child.ask("record save Item --name w\(worker)-\(index) n:=1 -f names -q") != nil
          else { return }
          index += 1
          saved.withLock { $0 += 1 }
          Platform.sleep(milliseconds: 2)
        }
        _ = child.finish()
      }
    }
    var copied = 0
    for round in 0..<100 {
      let copy = laboratory.path("backup")
      try FileSystem.remove(copy)
      if let failure = program.run(["store", "backup", copy]) {
        findings.add("\(round): \(failure)")
        continue
      }
      if let text = laboratory.unsoundness(copy) { findings.add("\(round): \(text)") }
      copied = checkPrefixes(laboratory.answer(copy, ["record", "list", "-f", "names"]).output) {
        findings.add("\(round): \($0)")
      }
    }
    isDone.withLock { $0 = true }
    writers.forEach { $0.join() }
    return "100 copies beside \(workers) writers, \(saved.withLock { $0 }) records saved, "
      + "\(copied) in the last copy"
  }

  /// Each writer's numbers begin with 0 and have no gaps; returns the number of names.
  private static func checkPrefixes(_ names: String, _ report: (String) -> Void) -> Int {
    let lines = names.split(separator: "\n")
    for (worker, found) in Dictionary(grouping: lines, by: { $0.prefix { $0 != "-" } }) {
      let numbers = Set(found.compactMap { Int($0.drop { $0 != "-" }.dropFirst()) })
      if numbers.max() != numbers.count - 1 || numbers.count != found.count {
        report("\(worker) has gaps")
      }
    }
    return lines.count
  }

  /// Processes that all begin with a store that does not exist.
  private static func creations(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let failures = Locked<[String]>([])
    let rounds = each / workers
    for round in 0..<rounds {
      let store = laboratory.path("race")
      let program = Program(laboratory, store)
      together { worker in
        for words in [
          ["container", "create", "iCloud.org.example.app", "--if-not-exists"],
          ["record", "save", "Item", "--name", "w\(worker)", "n:=1"],
        ] {
          if let failure = program.run(words) { failures.withLock { $0.append(failure) } }
        }
      }
      let found = laboratory.answer(store, ["query", "Item", "--count"]).output
      if found != "\(workers)\n" { findings.add("round \(round): \(found)") }
      if let text = laboratory.unsoundness(store) { findings.add("round \(round): \(text)") }
      try FileSystem.remove(store)
    }
    let errors = report(failures, findings)
    return "\(rounds) × \(workers) processes make one store and save: \(errors) errors shown"
  }

  /// The program on a store, for several threads.
  struct Program: Sendable {
    let ckdb: String
    let store: String

    init(_ laboratory: Laboratory, _ store: String) {
      ckdb = laboratory.ckdb
      self.store = store
    }

    /// Runs the program; returns its error if it fails.
    func run(_ words: [String]) -> String? {
      do {
        let end = try Child([ckdb, "--store", store, "-q"] + words, [:]).run()
        return end.code == 0 ? nil : "\(words.prefix(2)): exit \(end.code): \(end.errors)"
      } catch { return "\(error)" }
    }

    func session() -> Child { Child([ckdb, "--store", store, "--keep-going"], [:]) }
  }
}
