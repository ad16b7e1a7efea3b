internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// Stores that were made of fixtures, so that the same fixture is loaded only once.
///
/// A store is found by all that decides what is in it: this program, the settings, the paths and
/// contents of the fixture's files. What they also name (schemas, contents of assets) is noted
/// with the store, and must be the same, too.
struct FixtureCache {
  private let context: Context
  /// The folders whose files fixtures may name, besides their own.
  private let allowed: [String]
  /// Goes up whenever a load refuses what it took before: a store that was kept has it still.
  private static let rules = "2"
  /// So many stores are kept.
  private static let limit = 16

  init(_ context: Context, allowed: [String]) { (self.context, self.allowed) = (context, allowed) }

  /// Makes a store at a free path, with a container and the records of fixtures. Throws
  /// `CommandError` for what is wrong with these, after it was told.
  func fill(_ store: CloudStore, with paths: [String]) throws {
    guard !paths.isEmpty, !paths.contains("-") else { return try load(paths, into: store, nil) }
    let entry = try? entry(for: paths)
    if let entry, isCurrent(entry), copy(entry, to: store) { return }
    try load(paths, into: store, entry)
  }

  private func load(_ paths: [String], into store: CloudStore, _ entry: String?) throws {
    _ = try store.create()
    if paths.isEmpty {
      let named = try context.settings.find(GlobalOptions.container)?.value
      let id = try named ?? ContainerID("iCloud.org.example.fixture")
      _ = try store.create(id, for: context.request())
      return try store.chooseFirst(id)
    }
    let loader = try FixtureLoader(paths, allowed: allowed, context)
    let summary = try context.quietly { try loader.load(into: store) }
    guard summary.faults.isEmpty else {
      let report = FixtureReport(faults: summary.faults, sources: loader.sources)
      throw try report.refusal("nothing was run", of: "exec", asJUnit: false, context)
    }
    if let clock = loader.clock {
      // For the commands that use the store.
      _ = try store.changeContext {
        $0.append(JSONMember(GlobalOptions.clock.name, .string(clock.text)))
      }
    }
    if let entry, try !loader.dependsOnTime { keep(store, entry, loader.companions) }
  }

  // MARK: Entries

  /// Where the store of fixtures is kept. Throws for files that cannot be read, and where there
  /// is no place for it.
  private func entry(for paths: [String]) throws -> String {
    var parts = [Version.text, Self.rules, CloudStore.format, try FileSystem.currentDirectory()]
    let settings = context.settings
    parts.append(try settings.find(GlobalOptions.container)?.value.text ?? "")
    parts.append(try settings.environment().rawValue)
    parts += [try settings.scope().name, try settings.namedZone()?.text ?? ""]
    parts += [try settings.account()?.name ?? "", try settings.device().name]
    parts.append(try settings.find(GlobalOptions.clock)?.value.text ?? "")
    parts.append(try settings.find(GlobalOptions.seed).map { String($0.value) } ?? "")
    parts += allowed
    for path in try FixtureFiles.paths(paths) {
      parts += [path, try AssetSource.file(path: path).asset().sha256]
    }
    let key = try AssetSource.bytes(Array(parts.joined(separator: "\u{0}").utf8)).asset().sha256
    return try directory() + "/" + key
  }

  private func directory() throws -> String {
    let home = context.surroundings.variable("HOME").map { $0 + "/.cache" }
    guard let cache = context.surroundings.variable("XDG_CACHE_HOME") ?? home else {
      throw SystemError("find", "HOME", number: 2)
    }
    return cache + "/ckdb/fixtures"
  }

  /// Whether an entry is there, and what its fixture names is as it was.
  private func isCurrent(_ entry: String) -> Bool {
    guard let bytes = try? FileSystem.contents(of: entry + "/companions") else { return false }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    return lines.allSatisfy { line in
      let path = String(line.drop { $0 != " " }.dropFirst())
      return Self.state(of: path).map { $0 == line } ?? false
    }
  }

  /// A line that changes whenever a file does.
  private static func state(of path: String) -> String? {
    guard let state = try? FileHandle(open: path, 0).state() else { return nil }
    return "\(state.size)/\(state.modificationNanoseconds) \(path)"
  }

  /// Copies an entry; false for one that cannot be copied, or that another process has removed or
  /// replaced meanwhile: it may have lost files under the copy's hands.
  private func copy(_ entry: String, to store: CloudStore) -> Bool {
    let kept = CloudStore(path: entry + "/store")
    let identity = FileSystem.identity(of: entry)
    guard let request = try? context.request() else { return false }
    do {
      try kept.copy(to: store.path, for: request, isLasting: false, ofTemplate: true)
    } catch {
      return false
    }
    if FileSystem.identity(of: entry) == identity { return true }
    try? FileSystem.remove(store.path)
    return false
  }

  /// Removes an entry: its name goes before its files do.
  private static func remove(_ entry: String) throws {
    let grave = "\(entry).old-\(Platform.processNumber)"
    if FileSystem.status(of: entry) != nil { try FileSystem.rename(entry, to: grave) }
    try FileSystem.remove(grave)
  }

  /// Keeps a copy of a store; what cannot be kept is made anew the next time.
  private func keep(_ store: CloudStore, _ entry: String, _ companions: Set<String>) {
    let draft = "\(entry).new-\(Platform.processNumber)"
    defer { try? FileSystem.remove(draft) }
    let lines = companions.sorted(by: utf8Precedes).compactMap(Self.state)
    guard lines.count == companions.count, !lines.contains(where: { $0.contains("\n") }) else {
      return
    }
    do {
      try FileSystem.makeDirectories(draft)
      let text = lines.map { $0 + "\n" }.joined()
      try FileSystem.replace(draft + "/companions", with: Array(text.utf8))
      try store.copy(to: draft + "/store", for: context.request(), isTemplate: true)
      // One with other companions makes room; of two at once one stays.
      try Self.remove(entry)
      _ = Platform.renameExclusively(draft, entry)
      try removeOldest(in: FileSystem.parent(of: entry))
    } catch {}
  }

  private func removeOldest(in directory: String) throws {
    let entries = try FileSystem.list(directory).filter { !$0.contains(".") }.map { name in
      (
        path: "\(directory)/\(name)",
        age: FileSystem.modificationSeconds(of: "\(directory)/\(name)")
      )
    }
    for entry in entries.sorted(by: { $0.age ?? 0 > $1.age ?? 0 }).dropFirst(Self.limit) {
      try Self.remove(entry.path)
    }
    try removeLeftovers(in: directory)
  }

  /// Removes what processes left that were killed: drafts and graves of an hour ago.
  private func removeLeftovers(in directory: String) throws {
    let hourAgo = Platform.wallClockMilliseconds / 1000 - 3600
    for name in try FileSystem.list(directory) where name.contains(".") {
      let path = "\(directory)/\(name)"
      if FileSystem.modificationSeconds(of: path) ?? 0 < hourAgo { try FileSystem.remove(path) }
    }
  }
}
