public import CloudModel
internal import RecordStore
internal import StoreFiles

/// How much an environment holds.
public struct EnvironmentSize: Sendable, Equatable {
  /// Record types, without `Users`.
  public var types: Int64 = 0
  /// Zones of all users.
  public var zones: Int64 = 0
  /// Records of all users, without those of type `Users`.
  public var records: Int64 = 0
  /// What the public database counts towards the container's quota, in bytes: values and the
  /// contents of assets (R1.3.6, R6.9).
  public var publicBytes: Int64 = 0
  /// What the private databases count towards their users' quotas, in bytes.
  public var privateBytes: Int64 = 0
  /// Bytes of the database and its log.
  public var databaseBytes: Int64 = 0
  /// Contents of assets.
  public var assets: Int64 = 0
  /// Bytes of these.
  public var assetBytes: Int64 = 0
}

extension CloudEnvironment {
  /// How much it holds.
  public func size() throws(CloudError) -> EnvironmentSize {
    try read {
      let counts = try store.counts()
      let files = try store.assets.total()
      return EnvironmentSize(
        types: counts.types, zones: counts.zones, records: counts.records,
        publicBytes: counts.publicBytes, privateBytes: counts.privateBytes,
        databaseBytes: counts.fileBytes, assets: files.count, assetBytes: files.bytes)
    }
  }
}
