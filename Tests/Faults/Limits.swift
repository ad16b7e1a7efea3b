internal import Basics
internal import Glibc

/// Too little of something, and clocks that jump (F03, F12, F13).
enum Limits {
  static let experiments = [
    Experiment(name: "full-disk", run: fullDisk), Experiment(name: "read-only", run: readOnly),
    Experiment(name: "limits", run: limits),
    Experiment(name: "clock", run: clock),
  ]

  // MARK: A full disk

  private static func fullDisk(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let disk = try mounted("disk", megabytes: 2, laboratory)
    defer { umount(disk) }
    let filler = "\(disk)/filler"
    try FileSystem.replace(filler, with: [UInt8](repeating: 1, count: 200_000))
    let store = "\(disk)/store"
    try laboratory.must(store, ["container", "create", "iCloud.org.example.app"])
    let file = try laboratory.file("filling", Array(repeating: 0x63, count: 20_000))
    var (saved, refused, codes) = (0, 0, Set<Int32>())
    for index in 0..<200 {
      let contents = try laboratory.file(
        "filling", Array("\(index)".utf8) + [UInt8](repeating: 0x63, count: 20_000))
      let end = try laboratory.child(
        store, ["record", "save", "Item", "--name", "r\(index)", "n:=\(index)", "blob@\(contents)"]
      ).run()
      if end.code == 0 {
        saved += 1
        if refused > 0 { continue }
      } else {
        refused += 1
        codes.insert(end.code)
        if end.isSignal { findings.add("save \(index) ended by \(end.code)") }
      }
    }
    if let text = laboratory.unsoundness(store) { findings.add("full: \(text)") }
    let found = laboratory.answer(store, ["query", "Item", "--count"]).output
    if found != "\(saved)\n" { findings.add("\(saved) saved, \(found.dropLast()) there") }
    if codes != [74] { findings.add("exit codes \(codes.sorted())") }
    try FileSystem.remove(filler)
    for words in [
      ["record", "delete", "r0"], ["record", "save", "Item", "--name", "again", "blob@\(file)"],
    ] {
      let end = try laboratory.child(store, words).run()
      if end.code != 0 { findings.add("\(words[1]) with room again: \(end.code) \(end.errors)") }
    }
    if let text = laboratory.unsoundness(store) { findings.add("with room again: \(text)") }
    return "2 MB: \(saved) saved, \(refused) refused with \(codes.sorted()), "
      + "\(saved - (Int(found.dropLast()) ?? 0)) lost, works again with room"
  }

  // MARK: A file system that may not be written

  private static func readOnly(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let disk = try mounted("medium", megabytes: 8, laboratory)
    defer { umount(disk) }
    let store = "\(disk)/store"
    for words in [
      ["container", "create", "iCloud.org.example.app"],
      ["record", "save", "Note", "--name", "a", "text=x"],
    ] { try laboratory.must(store, words) }
    let before = laboratory.observe(store)
    guard mount("tmpfs", disk, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
    else { throw SystemError("mount again", disk) }
    if laboratory.observe(store) != before { findings.add("what is read is something else") }
    var refused = 0
    let writes = [
      ["record", "save", "Note", "--name", "b", "text=x"], ["record", "delete", "a"],
      ["zone", "create", "Z"], ["schema", "add", "Note", "n:INT64"], ["store", "compact"],
      ["snapshot", "save", "s"], ["container", "create", "iCloud.org.example.other"],
      ["store", "index", "build", "Note", "text"], ["asset", "gc"],
    ]
    for words in writes {
      let end = try laboratory.child(store, words).run()
      if [73, 74, 77].contains(end.code) {
        refused += 1
      } else {
        findings.add("\(words): exit \(end.code) \(end.errors)")
      }
    }
    if let text = laboratory.unsoundness(store) { findings.add(text) }
    let copy = laboratory.path("copy")
    try laboratory.must(store, ["store", "backup", copy])
    if laboratory.observe(copy) != before { findings.add("a copy of it is something else") }
    try followOthers(laboratory, findings)
    return "all questions answered, \(refused) of \(writes.count) writes refused by name, "
      + "an open session sees what others write"
  }

  /// A read-only session on a store sees the writes of others.
  private static func followOthers(_ laboratory: Laboratory, _ findings: Findings) throws {
    let disk = try mounted("shared", megabytes: 8, laboratory)
    defer { umount(disk) }
    let view = laboratory.path("view")
    try FileSystem.makeDirectory(view)
    let flags = UInt(MS_BIND)
    guard mount(disk, view, nil, flags, nil) == 0,
      mount(nil, view, nil, flags | UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
    else { throw SystemError("mount again", view) }
    defer { umount(view) }
    let store = "\(disk)/store"
    try laboratory.must(store, ["container", "create", "iCloud.org.example.app"])
    try laboratory.must(store, ["record", "save", "Note", "--name", "n0", "n:=0"])
    try laboratory.must(store, ["store", "checkpoint"])
    let session = laboratory.child("\(view)/store", [])
    try session.open()
    for count in 1...5 {
      let seen = session.ask("query Note --count") ?? "nothing"
      if seen != "\(count)" { findings.add("read-only session: \(seen) of \(count) records") }
      try laboratory.must(store, ["record", "save", "Note", "--name", "n\(count)", "n:=\(count)"])
      // The session checks the settings and the files a few times a second.
      Platform.sleep(milliseconds: 150)
    }
    let end = session.finish()
    if end.code != 0 { findings.add("read-only session ended with \(end.code)") }
  }

  /// Makes a file system in memory.
  private static func mounted(
    _ name: String, megabytes: Int, _ laboratory: Laboratory
  ) throws -> String {
    let disk = laboratory.path(name)
    try FileSystem.makeDirectory(disk)
    guard mount("tmpfs", disk, "tmpfs", 0, "size=\(megabytes)m,mode=700") == 0 else {
      throw SystemError("mount a file system (this takes root) at", disk)
    }
    return disk
  }

  // MARK: Few descriptors, little memory, small files

  private static func limits(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let file = try laboratory.file("limited", Array(repeating: 0x64, count: 300_000))
    let seed = try laboratory.store([["record", "save", "Note", "--name", "a", "n:=1"]])
    let before = laboratory.observe(seed)
    let commands = [
      ["record", "save", "Note", "--name", "b", "n:=1", "f@\(file)"],
      ["query", "Note", "n > 0", "--sort", "n"], ["export"],
      ["store", "index", "build", "Note", "n"],
    ]
    let kinds =
      (3...16).map { "ulimit -n \($0)" } + (1...20).map { "ulimit -v \($0 * 10_000)" }
      + [0, 1, 8, 40, 200, 500].map { "ulimit -f \($0)" }
      + [64, 128, 256, 512, 1024].map { "ulimit -s \($0)" }
    var (runs, refused) = (0, 0)
    for limit in kinds {
      for words in commands {
        runs += 1
        let store = try laboratory.copy(seed, to: "\(laboratory.work)/limited-store")
        let end = try laboratory.child(store, words, limits: limit).run()
        if end.code != 0 { refused += 1 }
        // Without memory for a stack or for the program itself nothing can start.
        let isTooLittle = limit.hasPrefix("ulimit -v") || limit.hasPrefix("ulimit -s")
        if end.isSignal, !isTooLittle { findings.add("\(limit), \(words[0]): \(end.code)") }
        if let text = laboratory.unsoundness(store) {
          findings.add("\(limit), \(words[0]): \(text)")
        }
        if end.code != 0, laboratory.observe(store) != before {
          findings.add("\(limit), \(words[0]): exit \(end.code), and something was done")
        }
      }
    }
    return "\(kinds.count) limits × \(commands.count) commands: \(refused) of \(runs) refused, "
      + "\(findings.count) wrong"
  }

  // MARK: Clocks

  private static func clock(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let store = try laboratory.store([["zone", "create", "Z"]])
    let times = [
      "2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z", "2106-02-07T06:28:16Z",
      "1970-01-01T00:00:00Z", "2016-12-31T23:59:59Z", "1969-12-31T23:59:59Z",
      "2026-01-01T00:00:00Z",
    ]
    var tags: [Int] = []
    for round in 0..<50 {
      let time = times[round % times.count]
      try laboratory.must(
        store,
        [
          "--clock", time, "record", "save", "Item", "-z", "Z", "--name", "a", "--policy", "all",
          "n:=\(round)",
        ])
      let tag = laboratory.answer(
        store, ["record", "fetch", "a", "-z", "Z", "--fields", "changeTag", "-f", "raw"]
      ).output.dropLast()
      tags.append(Int(tag, radix: 36) ?? 0)
      let changed = laboratory.answer(store, ["changes", "zone", "-z", "Z"]).output
      if !changed.contains("\"changeTag\":\"\(tag)\"") {
        findings.add("round \(round): not in the feed")
      }
    }
    if zip(tags, tags.dropFirst()).contains(where: { $0 >= $1 }) { findings.add("tags: \(tags)") }
    if let text = laboratory.unsoundness(store) { findings.add(text) }
    return "50 saves under \(times.count) clocks: tags grow, \(findings.count) wrong"
  }
}
