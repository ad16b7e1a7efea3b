public import CloudModel

extension RecordFields {
  /// The size of the values in bytes, without assets, towards a record's limit (R3.4.8).
  public var size: Int {
    entries.reduce(0) { $0 + $1.name.text.utf8.count + $1.value.size }
  }

  /// The size of the values in bytes, with the contents of assets, towards a quota (R6.9).
  public var quotaSize: Int64 {
    entries.reduce(0) {
      $0 + Int64($1.name.text.utf8.count + $1.value.size) + $1.value.assetSize
    }
  }
}

extension FieldValue {
  /// The size of asset contents in bytes.
  fileprivate var assetSize: Int64 {
    switch self {
    case .asset(let asset): asset.size
    case .list(let members): members.reduce(0) { $0 + $1.assetSize }
    case .string, .int64, .double, .timestamp, .bytes, .location, .reference: 0
    }
  }
}
