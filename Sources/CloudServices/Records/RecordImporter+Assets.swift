internal import Basics
internal import CloudModel
internal import RecordStore
internal import StoreFiles
internal import StoreHome

// The asset contents of an import.
extension RecordImporter {
  /// Checks that the account can read the contents of all assets, or else copies them from the
  /// import's source.
  func checkAssets(_ fields: RecordFields) throws {
    for entry in fields.entries {
      for asset in entry.value.assets
      where try !transaction.readableAssets.contains(asset) {
        try bringAsset(asset)
      }
    }
  }

  /// Copies an asset's contents from the import's source.
  private func bringAsset(_ asset: Asset) throws {
    if options.assetSources[asset] != nil {
      return state.assetsToBring.add(asset, ())
    }
    guard let directory = options.assetsDirectory else { throw CloudError.missingAsset(asset) }
    do { try database.strike(.asset) } catch { throw Struck(error: error) }
    try keep(asset, from: .file(path: directory + "/" + asset.sha256))
  }

  /// Copies the needed contents, after all records have succeeded.
  func bringAssets() throws {
    for asset in state.assetsToBring.keys {
      if let source = options.assetSources[asset] { try keep(asset, from: source) }
    }
  }

  private func keep(_ asset: Asset, from source: AssetSource) throws {
    let environment = database.environment
    let staged = try environment.stage(source)
    guard staged.asset == asset else {
      environment.discard(staged)
      throw CloudError(
        .assetFileNotFound, "\(source.name) does not have the contents of asset \(asset.sha256)")
    }
    try transaction.keep(staged)
    state.brought.append(asset)
  }
}
