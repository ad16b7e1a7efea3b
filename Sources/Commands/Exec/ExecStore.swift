internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import Fixtures

/// Fills the store of `exec`, from the cache where it has the same fixtures.
struct ExecStore {
  let context: Context
  /// Folders whose files fixtures may use, in addition to their own.
  let allowed: [String]

  /// Creates the store, with a container and the records of fixtures. Reports the faults of these,
  /// then throws `CommandError`.
  func fill(_ store: CloudStore, with paths: [String]) throws {
    guard !paths.isEmpty else { return try fill(store) }
    let isReadOnce = paths.contains("-")
    guard !isReadOnce, let cache = try cache(), let entry = try? cache.entry(for: paths, settings())
    else {
      _ = try load(paths, into: store)
      return
    }
    if cache.copy(entry, to: store) { return }
    let loader = try load(paths, into: store)
    if !loader.dependsOnTime { cache.keep(store, entry, loader.companions) }
  }

  /// Creates a store with an empty container.
  private func fill(_ store: CloudStore) throws {
    _ = try store.create()
    let named = try context.settings.find(GlobalOptions.container)?.value
    let id = try named ?? ContainerID("iCloud.org.example.fixture")
    _ = try store.create(id, for: context.request())
    try store.chooseFirst(id)
  }

  private func load(_ paths: [String], into store: CloudStore) throws -> FixtureLoader {
    _ = try store.create()
    let loader = try FixtureLoader(paths, allowed: allowed, context)
    let summary = try context.quietly { try loader.load(into: store, context) }
    guard summary.faults.isEmpty else {
      let report = FixtureReport(faults: summary.faults, sources: loader.sources)
      throw try report.refusal("nothing was run", of: "exec", asJUnit: false, context)
    }
    if let clock = loader.clock {
      // For the commands that use the store.
      try store.changeContext { $0[GlobalOptions.clock.name] = clock.text }
    }
    return loader
  }

  /// The cache; nil if no directory for caches is known.
  private func cache() throws -> FixtureCache? {
    let home = context.surroundings.variable("HOME").map { $0 + "/.cache" }
    guard let directory = context.surroundings.variable("XDG_CACHE_HOME") ?? home else {
      return nil
    }
    return FixtureCache(directory: directory + "/ckdb/fixtures", try context.request())
  }

  /// The settings that decide about the contents of the store.
  private func settings() throws -> [String] {
    let settings = context.settings
    var texts = [Version.text, try settings.find(GlobalOptions.container)?.value.text ?? ""]
    texts += [try settings.environment().rawValue, try settings.scope().name]
    texts += [try settings.namedZone()?.text ?? "", try settings.account()?.name ?? ""]
    texts += [try settings.device().name]
    texts.append(try settings.find(GlobalOptions.clock)?.value.text ?? "")
    texts.append(try settings.find(GlobalOptions.seed).map { String($0.value) } ?? "")
    return texts + allowed
  }
}
