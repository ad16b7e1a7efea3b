internal import Basics
internal import CloudKit
internal import CloudModel
internal import CloudServices
internal import Fixtures

/// Makes a temporary cloud with the data of fixtures, from the cache where it has them.
struct FixtureCloud {
  private let paths: [String]
  private let request: Request

  init(_ fixtures: [URL]) throws {
    paths = fixtures.map(\.path)
    request = try ckErrors { Request(account: try Account("me")) }
  }

  func make() throws -> Cloud {
    try ckErrors {
      let cloud = try Cloud(temporary: CloudConditions(), filling: fill)
      let clock = try cloud.store.context()["clock"]
      cloud.withConditions { $0.clock = clock.flatMap(Timestamp.init) }
      return cloud
    }
  }

  /// Fills a store, and notes in its context at which time the fixtures stop the clock.
  private func fill(_ store: CloudStore) throws {
    let cache = Self.cache(request)
    let entry = try? cache?.entry(for: paths, ["CloudKitTesting"])
    if let cache, let entry, cache.copy(entry, to: store) { return }
    let loader = try FixtureLoader(paths, FixtureSettings(request))
    _ = try store.create()
    let id = try loader.container(in: store) ?? ContainerID("iCloud.org.example.fixture")
    let summary = try loader.load(into: store, id) {
      try store.environment(id, .development, for: request)
    }
    guard summary.faults.isEmpty else { throw FixtureError(summary.faults, loader) }
    if let clock = loader.clock { try store.changeContext { $0["clock"] = clock.text } }
    if let cache, let entry, !loader.dependsOnTime {
      cache.keep(store, entry, loader.companions)
    }
  }

  /// The cache; nil if no directory for caches is known.
  private static func cache(_ request: Request) -> FixtureCache? {
    let variables = ProcessInfo.processInfo.environment
    let home = variables["HOME"].map { $0 + "/.cache" }
    guard let directory = variables["XDG_CACHE_HOME"] ?? home else { return nil }
    return FixtureCache(directory: directory + "/ckdb/fixtures", request)
  }
}
