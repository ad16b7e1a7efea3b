public import CloudModel
internal import RecordStore
internal import StoreFiles

/// The amount of data in an environment.
public struct EnvironmentSize: Sendable, Equatable {
  /// Record types, without `Users`.
  public var types: Int64 = 0
  /// Zones of all users.
  public var zones: Int64 = 0
  /// Records of all users, without those of type `Users`.
  public var records: Int64 = 0
  /// Bytes of the public database that count towards the container's quota: values and asset
  /// contents (R1.3.6, R6.9).
  public var publicBytes: Int64 = 0
  /// Bytes of the private databases that count towards their users' quotas.
  public var privateBytes: Int64 = 0
  /// Bytes of the database and its log.
  public var databaseBytes: Int64 = 0
  /// Asset files.
  public var assets: Int64 = 0
  /// Bytes of the asset files.
  public var assetBytes: Int64 = 0
}

extension CloudEnvironment {
  /// Returns the size of the environment.
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
