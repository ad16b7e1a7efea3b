internal import Basics
internal import CloudModel
public import CloudServices

/// A cache of stores loaded from fixtures, so that the same fixture is loaded only once.
///
/// The key of an entry covers everything that determines the store: the version of the program, the
/// settings, and the paths and contents of the fixture's files. The files that these name (schemas,
/// contents of assets) are listed with the store and must be unchanged, too.
public struct FixtureCache {
  private let directory: String
  private let request: Request
  /// Incremented whenever a load rejects what it accepted before: a cached store may still have it.
  private static let rules = "2"
  /// The maximum number of cached stores.
  private static let limit = 16

  /// The cache in a directory, which need not exist; the request copies stores.
  public init(directory: String, _ request: Request) {
    (self.directory, self.request) = (directory, request)
  }

  /// The path of the entry for fixtures that are loaded under `settings`, texts in a fixed order.
  /// Throws if a file cannot be read.
  public func entry(for paths: [String], _ settings: [String]) throws -> String {
    var parts = [Self.rules, CloudStore.format, try FileSystem.currentDirectory()] + settings
    for path in try FixtureFiles.paths(paths) {
      parts += [path, try AssetSource.file(path: path).asset().sha256]
    }
    let key = try AssetSource.bytes(Array(parts.joined(separator: "\u{0}").utf8)).asset().sha256
    return directory + "/" + key
  }

  /// Copies an entry whose files are unchanged to an unused path. Returns false if there is none.
  public func copy(_ entry: String, to store: CloudStore) -> Bool {
    isCurrent(entry) && copyUnchecked(entry, to: store)
  }

  /// Whether an entry exists and the files that its fixture names are unchanged.
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

  /// Copies an entry. Returns false if that fails, or if another process has removed or replaced
  /// the entry meanwhile: the copy may lack files.
  private func copyUnchecked(_ entry: String, to store: CloudStore) -> Bool {
    let kept = CloudStore(path: entry + "/store", request.patience.interruption)
    let identity = FileSystem.identity(of: entry)
    do {
      try kept.copy(to: store.path, for: request, isLasting: false, ofTemplate: true)
    } catch {
      return false
    }
    if FileSystem.identity(of: entry) == identity { return true }
    try? FileSystem.remove(store.path)
    return false
  }

  /// Removes an entry: renames it before its files are deleted.
  private static func remove(_ entry: String) throws {
    let grave = "\(entry).old-\(Platform.processNumber)"
    if FileSystem.status(of: entry) != nil { try FileSystem.rename(entry, to: grave) }
    try FileSystem.remove(grave)
  }

  /// Adds a copy of a store to the cache. If that fails, the next run loads the fixture again.
  public func keep(_ store: CloudStore, _ entry: String, _ companions: Set<String>) {
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
      try store.copy(to: draft + "/store", for: request, isTemplate: true)
      // Replace an entry with other companions; of two at once, one stays.
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

  /// Removes drafts and graves that killed processes left more than an hour ago.
  private func removeLeftovers(in directory: String) throws {
    let hourAgo = Platform.wallClockMilliseconds / 1000 - 3600
    for name in try FileSystem.list(directory) where name.contains(".") {
      let path = "\(directory)/\(name)"
      if FileSystem.modificationSeconds(of: path) ?? 0 < hourAgo { try FileSystem.remove(path) }
    }
  }
}
