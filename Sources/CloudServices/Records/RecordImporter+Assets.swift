internal import CloudModel
internal import RecordStore
internal import StoreFiles

// The contents of the assets of an import.
extension RecordImporter {
  /// Whether the contents of all assets are there; those of the import's directory are taken over.
  func checkAssets(_ fields: RecordFields) throws {
    for entry in fields.entries {
      for asset in entry.value.assets where try !store.assets.contains(asset) {
        try bringAsset(asset)
      }
    }
  }

  /// Takes an asset's contents over from where the import has them.
  private func bringAsset(_ asset: Asset) throws {
    if options.assetSources[asset] != nil {
      if !assetsToBring.contains(asset) { assetsToBring.append(asset) }
      return
    }
    guard let directory = options.assetsDirectory else { throw CloudError.missingAsset(asset) }
    do { try database.strike(.asset) } catch { throw Struck(error: error) }
    try keep(asset, from: .file(path: directory + "/" + asset.sha256))
  }

  /// Takes over what is known to be needed, when nothing can go wrong with the records any more.
  func bringAssets() throws {
    for asset in assetsToBring {
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
  }
}
