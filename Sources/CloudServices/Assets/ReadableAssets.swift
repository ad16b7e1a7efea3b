internal import CloudModel
internal import RecordStore
internal import StoreFiles

/// The contents that an account may refer to by hash alone: those in records of the environment
/// that it can read (cli.md §5). A hash must not give access to the contents of other users, or
/// reveal whether they exist.
final class ReadableAssets {
  private let environment: CloudEnvironment
  private var known: Set<Key> = []
  private var hasReadAll = false

  /// For the account of the environment's request, within a write transaction.
  init(of environment: CloudEnvironment) { self.environment = environment }

  /// The first half of a hash: there can be millions.
  private struct Key: Hashable {
    let high, low: UInt64?

    init(_ asset: Asset) {
      high = UInt64(asset.sha256.prefix(16), radix: 16)
      low = UInt64(asset.sha256.dropFirst(16).prefix(16), radix: 16)
    }
  }

  /// Adds contents that the account has supplied.
  func insert(_ asset: Asset) { known.insert(Key(asset)) }

  /// Whether the store has contents that the account may use. Throws `CloudError`, `StoreError`.
  func contains(_ asset: Asset) throws -> Bool {
    let store = environment.store
    guard try store.assets.contains(asset) else { return false }
    if known.contains(Key(asset)) { return true }
    guard try !hasReadAll && store.isUsed(asset) else { return false }
    try readAll()
    return known.contains(Key(asset))
  }

  private func readAll() throws {
    for scope in DatabaseScope.allCases {
      let database = try environment.database(scope)
      for zone in try database.storedZones() {
        let visible = try database.visibleRows(of: nil, in: zone)
        try database.store.forEachAsset(in: zone, visible: visible, insert)
      }
    }
    hasReadAll = true
  }
}
