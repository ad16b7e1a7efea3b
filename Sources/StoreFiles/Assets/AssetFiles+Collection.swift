internal import Basics
public import CloudModel

extension AssetFiles {
  /// Passes the hash of each file of contents to `body`, with its path.
  public func forEach(_ body: (String, String) throws(StoreError) -> Void) throws(StoreError) {
    for first in try entries(of: root) where first != "tmp" {
      for second in try entries(of: "\(root)/\(first)") {
        let folder = "\(root)/\(first)/\(second)"
        for name in try entries(of: folder) { try body(name, "\(folder)/\(name)") }
      }
    }
  }

  private func entries(of folder: String) throws(StoreError) -> [String] {
    try onDisk { () throws(SystemError) in try FileSystem.list(folder) }
  }

  /// The number of contents, and their bytes.
  public func total() throws(StoreError) -> (count: Int64, bytes: Int64) {
    var (count, bytes): (Int64, Int64) = (0, 0)
    try forEach { (_, path) throws(StoreError) in
      count += 1
      bytes += FileSystem.size(of: path) ?? 0
    }
    return (count, bytes)
  }

  /// Removes all contents except those with the given hashes, and drafts that have not been written
  /// since a time, in seconds.
  public func collect(
    keeping hashes: Set<String>, draftsSince moment: Int64
  ) throws(StoreError) -> (count: Int, bytes: Int64) {
    var (count, bytes): (Int, Int64) = (0, 0)
    func remove(_ path: String) throws(StoreError) {
      let size = FileSystem.size(of: path) ?? 0
      try onDisk { () throws(SystemError) in try FileSystem.remove(path) }
      count += 1
      bytes += size
    }
    try forEach { (hash, path) throws(StoreError) in
      if !hashes.contains(hash) { try remove(path) }
    }
    for name in try entries(of: "\(root)/tmp") {
      let path = "\(root)/tmp/\(name)"
      guard let time = FileSystem.modificationSeconds(of: path), time < moment else { continue }
      try remove(path)
    }
    return (count, bytes)
  }

  /// Whether the contents of an asset exist and match their hash.
  public func isIntact(_ asset: Asset) throws(StoreError) -> Bool {
    guard try contains(asset) else { return false }
    return try hash(of: asset) == asset.sha256
  }
}
