public import CloudModel

extension RecordFields {
  /// How many bytes the values count towards a record's size limit, assets not counted (R3.4.8).
  public var size: Int {
    entries.reduce(0) { $0 + $1.name.text.utf8.count + $1.value.size }
  }

  /// How many bytes the values count towards a quota: their size with that of the assets' contents
  /// (R6.9).
  public var quotaSize: Int64 {
    entries.reduce(0) {
      $0 + Int64($1.name.text.utf8.count + $1.value.size) + $1.value.assetSize
    }
  }
}

extension FieldValue {
  /// Bytes of the contents of assets.
  fileprivate var assetSize: Int64 {
    switch self {
    case .asset(let asset): asset.size
    case .list(let members): members.reduce(0) { $0 + $1.assetSize }
    case .string, .int64, .double, .timestamp, .bytes, .location, .reference: 0
    }
  }
}
