internal import CloudModel
internal import RecordStore

// The contents of the assets of an import.
extension RecordImporter {
  /// Whether the contents of all assets are there; those of the import's directory are taken over.
  func checkAssets(_ fields: RecordFields) throws {
    for entry in fields.entries {
      let assets: [FieldValue]
      switch entry.value {
      case .asset: assets = [entry.value]
      case .list(let members):
        guard case .asset? = members.first else { continue }
        assets = members
      default: continue
      }
      for case .asset(let asset) in assets where !store.assets.contains(asset) {
        try bringAsset(asset)
      }
    }
  }

  /// Takes an asset's contents over from the directory of the import.
  private func bringAsset(_ asset: Asset) throws {
    guard let directory = options.assetsDirectory else { throw CloudError.missingAsset(asset) }
    let staged = try database.environment.stage(directory + "/" + asset.sha256)
    guard staged.asset == asset else {
      database.environment.discard(staged)
      throw CloudError(
        .assetFileNotFound, "\(directory)/\(asset.sha256) does not have the contents of its name")
    }
    try store.assets.keep(staged.draft)
  }
}
