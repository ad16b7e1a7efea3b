internal import Basics
internal import Glibc

/// SIGKILL during and between commands on documents (F01, D26, D36): nothing is damaged, and after
/// two rounds all devices have the contents of the last acknowledged save, or of the save that the
/// kill interrupted. Each document is written on one device only, and another program changes the
/// mount of this device, too.
enum DocumentKills {
  static let experiment = Experiment(name: "document-kills", run: run)

  private static let rounds = 1000
  private static let roundsOfAStore = 50
  private static let devices = ["mac", "pad", "phone"]

  /// The possible contents of each document: the last acknowledged, and later ones.
  private struct Expected {
    var known: [String: String] = [:]
    var doubtful: (path: String, contents: String)?
  }

  /// The store, a folder for the mounts, and their expected contents.
  private struct World {
    let laboratory: Laboratory
    let store: String
    let mounts: String
    var expected = Expected()

    init(_ laboratory: Laboratory) throws {
      self.laboratory = laboratory
      store = try laboratory.store(
        [
          ["device", "add", "mac", "--kind", "mac"], ["device", "add", "pad"],
          ["device", "add", "phone"],
        ])
      mounts = laboratory.path("mounts")
      try FileSystem.makeDirectory(mounts)
      for device in DocumentKills.devices {
        try laboratory.must(store, ["document", "mount", mount(device), "--device", device])
      }
    }

    func mount(_ device: String) -> String { "\(mounts)/\(device)" }

    func clean() throws {
      try FileSystem.remove(store)
      try FileSystem.remove(mounts)
    }
  }

  private static func run(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    var random = SplitMix64(state: 5)
    var world: World?
    var (count, wrong) = (0, 0)
    for round in 0..<rounds {
      if round % roundsOfAStore == 0 {
        try world?.clean()
        world = try World(laboratory)
      }
      guard var now = world else { continue }
      count += try work(&now, round, &random)
      var faults = [laboratory.unsoundness(now.store)].compactMap(\.self)
      faults += lost(&now)
      world = now
      wrong += faults.count
      for fault in faults { findings.add("round \(round): \(fault)") }
    }
    try world?.clean()
    return "\(rounds) kills, \(count) acknowledged: \(wrong) wrong"
  }

  /// Runs commands one by one until the process is killed; returns the number of acknowledged ones.
  private static func work(
    _ world: inout World, _ round: Int, _ random: inout SplitMix64
  ) throws -> Int {
    let child = world.laboratory.child(world.store, ["--keep-going"])
    try child.open()
    let delay = 2 + Int64(random.next() % 60)
    let process = child.process
    let killer = try Worker {
      Platform.sleep(milliseconds: delay)
      kill(process, SIGKILL)
    }
    var count = 0
    while true {
      let place = Int(random.next() % 3)
      let device = devices[place]
      let path = "Documents/d\(place + 3 * Int(random.next() % 3)).txt"
      let contents = "\(round)-\(count)"
      let command: String
      (command, world.expected.doubtful) = try step(
        &world, random.next(), device, path, contents)
      guard child.perform(command) != nil else { break }
      count += 1
      if let saved = world.expected.doubtful { world.expected.known[saved.path] = saved.contents }
      world.expected.doubtful = nil
    }
    killer.join()
    _ = child.finish()
    return count
  }

  /// A command and the contents that it saves.
  private static func step(
    _ world: inout World, _ number: UInt64, _ device: String, _ path: String, _ contents: String
  ) throws -> (command: String, saves: (path: String, contents: String)?) {
    let isThere = world.expected.known[path] != nil
    let mount = world.mount(device)
    func command(_ words: String) -> String { "document \(words) --device \(device) -q" }
    switch number % 12 {
    case 0...2:
      let file = try world.laboratory.file("contents", Array(contents.utf8))
      return (command("put \(file) \(path)"), (path, contents))
    case 3 where isThere:
      return (command("edit \(path) --set-text \(contents)"), (path, contents))
    case 4 where try isCurrent("\(mount)/\(path)", world.expected.known[path]):
      // Editors write like this. It counts as a save when a scan finds it.
      try FileSystem.replace("\(mount)/\(path)", with: Array(contents.utf8))
      return (command("scan \(mount)"), (path, contents))
    case 5: return (command("mount \(mount)"), nil)
    case 6: return (command("evict \(path)"), nil)
    case 7: return (command("download \(path)"), nil)
    case 8: return (command("exclude \(path)"), nil)
    case _: return (command("sync"), nil)
    }
  }

  /// Whether a mount has the last save: an edit of older contents would be a conflict.
  private static func isCurrent(_ path: String, _ known: String?) throws -> Bool {
    guard let known, FileSystem.exists(path) else { return false }
    return try FileSystem.contents(of: path) == Array(known.utf8)
  }

  private static func documents(_ world: World, _ device: String) -> [String: String] {
    let laboratory = world.laboratory
    let list = ["document", "list", "-f", "names", "--device", device]
    var documents: [String: String] = [:]
    for path in laboratory.answer(world.store, list).output.split(separator: "\n") {
      let get = ["document", "get", String(path), "--device", device]
      documents[String(path)] = laboratory.answer(world.store, get).output
    }
    return documents
  }

  /// Differences between devices after two rounds, and missing contents.
  private static func lost(_ world: inout World) -> [String] {
    let laboratory = world.laboratory
    // Another program saved the contents of a mount, and a kill does not undo that.
    for device in devices {
      _ = laboratory.answer(
        world.store, ["document", "scan", world.mount(device), "--device", device])
    }
    for device in devices + devices {
      _ = laboratory.answer(world.store, ["document", "sync", "--device", device])
    }
    let all = devices.map { documents(world, $0) }
    var faults = all.contains { $0 != all[0] } ? ["the devices do not agree"] : []
    for path in Set(world.expected.known.keys).union(all[0].keys).sorted(by: utf8Precedes) {
      let found = all[0][path]
      if found == world.expected.known[path] { continue }
      if let doubtful = world.expected.doubtful, doubtful.path == path,
        doubtful.contents == found
      {
        world.expected.known[path] = found
        continue
      }
      faults.append(
        "\(path) is \(found ?? "not there") instead of \(world.expected.known[path] ?? "nothing")")
      world.expected.known[path] = found
    }
    world.expected.doubtful = nil
    return faults
  }
}
