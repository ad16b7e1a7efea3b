internal import Basics
internal import Glibc

/// Bits that flip in the files of a store, and other damage (F07, F08): no damage goes unnoticed,
/// and a repair restores what it can.
enum Damages {
  static let experiments = [
    Experiment(name: "bit-flips", run: flips), Experiment(name: "seeded-damage", run: seeded),
  ]

  private static let flipCount = 1000
  private static let seededCount = 200

  private static func seed(_ laboratory: Laboratory) throws -> String {
    let file = try laboratory.file("damaged", Array("contents of an asset".utf8))
    var commands = [["zone", "create", "Notes"], ["zone", "create", "Old"]]
    for index in 0..<80 {
      commands.append([
        "record", "save", "Note", "-z", "Notes", "--name", "n\(index)", "text=to do \(index)",
        "tags:=[\"a\(index)\",\"b\"]", "n:=\(index)", "w:=\(index).5",
        "up:reference=n\(index / 2)",
      ])
    }
    for index in 0..<10 {
      let path = try laboratory.file("damaged-\(index)", Array("contents \(index)".utf8))
      commands.append(["record", "save", "Photo", "--name", "p\(index)", "file@\(path)"])
    }
    commands += [
      ["record", "save", "Photo", "--name", "same", "file@\(file)"],
      ["record", "delete", "n70", "n71", "-z", "Notes"], ["zone", "delete", "Old"],
      ["record", "save", "City", "-d", "public", "--name", "london", "name=London"],
      ["store", "index", "build", "Note", "text", "tags", "allTokens"], ["store", "compact"],
      ["record", "delete", "n69", "-z", "Notes"],
    ]
    let store = try laboratory.store(commands)
    // Moves the log into the database, so that there is only one file to damage.
    let end = try Child(
      ["/usr/bin/sqlite3", database(store), "PRAGMA wal_checkpoint(TRUNCATE)"], [:]
    ).run()
    guard end.code == 0 else { throw SystemError("checkpoint", database(store)) }
    return store
  }

  private static func folder(_ store: String) -> String {
    "\(store)/containers/iCloud.org.example.app/development"
  }

  private static func database(_ store: String) -> String { folder(store) + "/records.sqlite" }

  // MARK: Flipped bits

  private static func flips(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let seed = try seed(laboratory)
    let wanted = laboratory.observe(seed)
    var random = SplitMix64(state: 4)
    var (found, harmless, silent, whole, unsound) = (0, 0, 0, 0, 0)
    for _ in 0..<flipCount {
      let store = try laboratory.copy(seed, to: "\(laboratory.work)/flipped")
      var bytes = try FileSystem.contents(of: database(store))
      let place = Int(random.next() % UInt64(bytes.count * 8))
      bytes[place / 8] ^= 1 << (place % 8)
      try FileSystem.replace(database(store), with: bytes)
      let code = laboratory.answer(store, ["doctor", "--deep"]).code
      if code == 0 {
        if laboratory.observe(store) == wanted {
          harmless += 1
        } else {
          silent += 1
          findings.add("bit \(place) is silent")
        }
        continue
      }
      guard code == 1 || code == 78 else {
        findings.add("bit \(place): doctor ended with \(code)")
        continue
      }
      found += 1
      let repair = laboratory.answer(store, ["doctor", "--repair"]).code
      if let text = laboratory.unsoundness(store) {
        unsound += 1
        findings.add("bit \(place) after a repair (\(repair)): \(text)")
      }
      if repair == 0 {
        whole += 1
        if laboratory.observe(store) != wanted { findings.add("bit \(place): lost in silence") }
      }
    }
    return "\(flipCount) flips: \(found) found, \(harmless) in unused bytes, \(silent) silent; "
      + "\(whole) repaired without loss, \(found - whole - unsound) with loss told, "
      + "\(unsound) unsound after"
  }

  // MARK: Seeded damage

  /// A kind of damage: its name, and whether a repair restores everything.
  private struct Damage: Sendable {
    let name: String
    let isMended: Bool
    let inflict: @Sendable (String, inout SplitMix64) throws -> Void

    init(
      _ name: String, isMended: Bool,
      _ inflict: @escaping @Sendable (String, inout SplitMix64) throws -> Void
    ) {
      self.name = name
      self.isMended = isMended
      self.inflict = inflict
    }

    init(_ name: String, isMended: Bool, sql: String) {
      self.init(name, isMended: isMended) { store, random in
        let number = random.next() % 60
        let script = sql.split(separator: "#", omittingEmptySubsequences: false)
          .joined(separator: "\(number)")
        let end = try Child(
          [
            "/usr/bin/sqlite3", database(store),
            "\(script); PRAGMA wal_checkpoint(TRUNCATE)",
          ], [:]
        ).run()
        guard end.code == 0 else { throw SystemError("damage", script) }
      }
    }
  }

  private static let damages: [Damage] = [
    Damage("a value", isMended: false, sql: "UPDATE Note SET text = 'x' WHERE _name = 'n#'"),
    Damage("a date", isMended: false, sql: "UPDATE Note SET _created = 1 WHERE _name = 'n#'"),
    Damage("a lost row", isMended: false, sql: "DELETE FROM Note WHERE _name = 'n#'"),
    Damage("a lost name", isMended: true, sql: "DELETE FROM _record WHERE name = 'n#'"),
    Damage("a wrong name", isMended: true, sql: "UPDATE _record SET _id = 9000 WHERE name = 'n#'"),
    Damage("lost uses", isMended: true, sql: "DELETE FROM _asset"),
    Damage("a zone's count", isMended: true, sql: "UPDATE _zone SET records = records + 1 + #"),
    Damage(
      "a zone's name", isMended: true, sql: "UPDATE _zone SET name = 'N#' WHERE name = 'Notes'"),
    Damage("an index", isMended: true, sql: "DELETE FROM \"_index_Note.tags\" WHERE value = 'a#'"),
    Damage(
      "a trigger", isMended: true, sql: "CREATE TRIGGER t# DELETE ON Note BEGIN SELECT 1; END"),
    Damage("a type", isMended: false, sql: "UPDATE _type SET name = 'T#' WHERE name = 'City'"),
    Damage("a mode", isMended: true) { store, random in
      chmod(random.next() & 1 == 0 ? database(store) : folder(store) + "/lock", 0o664)
    },
    Damage("a folder's mode", isMended: true) { store, _ in chmod(folder(store), 0o755) },
    Damage("a torn page", isMended: false) { store, random in
      var bytes = try FileSystem.contents(of: database(store))
      // The page of an empty table has only its checksum to lose, at the end.
      let rests = stride(from: 0, to: bytes.count, by: 4096).map { $0 + 512..<$0 + 4096 }
        .filter { bytes[$0.dropLast(16)].contains { $0 != 0 } }
      let rest = rests[Int(random.next() % UInt64(rests.count))]
      bytes.replaceSubrange(rest, with: repeatElement(0, count: rest.count))
      try FileSystem.replace(database(store), with: bytes)
    },
    Damage("a shorter file", isMended: false) { store, random in
      let bytes = try FileSystem.contents(of: database(store))
      let count = 4096 * (2 + Int(random.next() % UInt64(bytes.count / 4096 - 3)))
      try FileSystem.replace(database(store), with: Array(bytes[..<count]))
    },
    Damage("missing contents", isMended: false) { store, random in
      try FileSystem.remove(try contents(store, &random))
    },
    Damage("changed contents", isMended: false) { store, random in
      let path = try contents(store, &random)
      var bytes = try FileSystem.contents(of: path)
      bytes[Int(random.next() % UInt64(bytes.count))] ^= 4
      try FileSystem.replace(path, with: bytes)
    },
    Damage("shorter contents", isMended: false) { store, random in
      truncate(try contents(store, &random), 3)
    },
    Damage("a link as contents", isMended: false) { store, random in
      let path = try contents(store, &random)
      try FileSystem.remove(path)
      symlink("/etc/passwd", path)
    },
    Damage("a folder as contents", isMended: false) { store, random in
      let path = try contents(store, &random)
      try FileSystem.remove(path)
      try FileSystem.makeDirectory(path)
    },
  ]

  /// One of the files that have the contents of assets.
  private static func contents(_ store: String, _ random: inout SplitMix64) throws -> String {
    var paths: [String] = []
    let assets = folder(store) + "/assets"
    for first in try FileSystem.list(assets) where first != "tmp" {
      for second in try FileSystem.list("\(assets)/\(first)") {
        for name in try FileSystem.list("\(assets)/\(first)/\(second)") {
          paths.append("\(assets)/\(first)/\(second)/\(name)")
        }
      }
    }
    return paths[Int(random.next() % UInt64(paths.count))]
  }

  private static func seeded(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let seed = try seed(laboratory)
    if let text = laboratory.unsoundness(seed) { findings.add("a false alarm: \(text)") }
    let wanted = laboratory.observe(seed)
    var random = SplitMix64(state: 5)
    var (found, sound, whole) = (0, 0, 0)
    for index in 0..<seededCount {
      let damage = damages[index % damages.count]
      let store = try laboratory.copy(seed, to: "\(laboratory.work)/damaged")
      chmod(folder(store), 0o700)
      try damage.inflict(store, &random)
      if laboratory.unsoundness(store) == nil {
        findings.add("\(damage.name) is not found")
      } else {
        found += 1
      }
      let repair = laboratory.answer(store, ["doctor", "--repair"])
      if let text = laboratory.unsoundness(store) {
        findings.add("\(damage.name) after a repair (\(repair.code)): \(text)")
      } else {
        sound += 1
      }
      if repair.code == 0 {
        whole += 1
        if laboratory.observe(store) != wanted { findings.add("\(damage.name): lost in silence") }
      } else if damage.isMended {
        findings.add("\(damage.name): not mended: \(repair.errors)")
      }
    }
    return "\(seededCount) damages of \(damages.count) kinds: \(found) found, \(sound) sound after "
      + "a repair, \(whole) of them without loss"
  }
}
