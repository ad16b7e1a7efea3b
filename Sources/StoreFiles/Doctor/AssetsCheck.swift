internal import Basics
package import CloudModel

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A check of the contents of assets next to a database: those that rows name exist, and no others.
struct AssetsCheck {
  /// The findings.
  private(set) var list: FindingList
  private let file: DatabaseFile
  private let holder: String
  private let meter: WorkMeter?

  /// Adds to a list; messages call a row `holder`.
  init(
    _ file: DatabaseFile, heldBy holder: String, _ list: FindingList, _ meter: WorkMeter? = nil
  ) {
    (self.file, self.holder, self.list, self.meter) = (file, holder, list, meter)
  }

  /// Checks the folder of contents: `held` are those that rows name, nil if not all rows can be
  /// read; `isDeep` reads them. Throws `StoreError` if the folder cannot be read.
  mutating func run(held: [Asset]?, isDeep: Bool) throws(StoreError) {
    guard try hasFolder(file.assetsPath) else { return }
    try checkDrafts()
    try checkContents(held.map { Set($0.map(\.sha256)) })
    guard let held else { return }
    if isDeep { meter?.begin("read assets", total: held.reduce(0) { $0 + $1.size }, .bytes) }
    for asset in held {
      try check(asset, isDeep: isDeep)
      meter?.advance(asset.size)
    }
  }

  private func hasFolder(_ path: String) throws(StoreError) -> Bool {
    try onDisk { () throws(SystemError) in try FileSystem.hasFolder(at: path) }
  }

  private func relative(_ path: String) -> String {
    String(path.dropFirst(file.folder.count + 1))
  }

  private func entries(of folder: String) throws(StoreError) -> [String] {
    try onDisk { () throws(SystemError) in try FileSystem.list(folder) }
  }

  private mutating func checkMode(_ path: String) { list.checkMode(path, in: file.folder) }

  private mutating func checkDrafts() throws(StoreError) {
    guard try hasFolder(file.assetsPath + "/tmp") else { return }
    for name in try AssetFiles(folder: file.assetsPath).abandonedDrafts() {
      list.add(.leftover, "assets/tmp/\(name)", "left by an interrupted save")
    }
  }

  /// Checks each file below `assets`: contents that a row names, unused contents, or neither.
  private mutating func checkContents(_ held: Set<String>?) throws(StoreError) {
    checkMode(file.assetsPath)
    for first in try entries(of: file.assetsPath) where first != "tmp" {
      for second in try shards(file.assetsPath + "/" + first) {
        for name in try shards(second) {
          checkMode(name)
          let hash = FileSystem.name(of: name)
          guard let asset = Asset(sha256: hash, size: 0),
            AssetFiles(folder: file.assetsPath).path(of: asset) == name
          else {
            list.add(.stranger, relative(name), "not the contents of an asset")
            continue
          }
          if held?.contains(hash) == false {
            list.add(.orphan, relative(name), "no \(holder) uses it")
          }
        }
      }
    }
  }

  /// The paths in a folder of contents; a finding for anything else in its place.
  private mutating func shards(_ path: String) throws(StoreError) -> [String] {
    if FileSystem.isNonDirectory(path) {
      list.add(.stranger, relative(path), "not a folder of asset contents")
      return []
    }
    checkMode(path)
    return try entries(of: path).map { "\(path)/\($0)" }
  }

  private mutating func check(_ asset: Asset, isDeep: Bool) throws(StoreError) {
    let files = AssetFiles(folder: file.assetsPath)
    guard let fault = try files.fault(of: asset, readsContents: isDeep) else { return }
    list.add(.asset, asset.sha256, fault)
  }
}

extension AssetFiles {
  /// The damage of the contents of an asset; nil for none. Throws `StoreError`, also for contents
  /// that cannot be examined: a repair must not treat them as missing.
  package func fault(of asset: Asset, readsContents: Bool) throws(StoreError) -> String? {
    let found = try onDisk { () throws(SystemError) in
      try FileSystem.statusIfAny(of: path(of: asset))
    }
    guard let status = found else { return "its contents are missing" }
    do throws(SystemError) { try requireFolders(of: asset) } catch {
      guard error.isMissingFile else { throw StoreError(error) }
      return error.description
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return "its contents are not a file" }
    guard Int64(status.st_size) == asset.size else {
      return "its contents have \(status.st_size) bytes instead of \(asset.size)"
    }
    guard readsContents, try hash(of: asset) != asset.sha256 else { return nil }
    return "its contents do not match its hash"
  }

  /// The names of abandoned drafts: their process has ended, or they are older than an hour.
  public func abandonedDrafts() throws(StoreError) -> [String] {
    let names = try onDisk { () throws(SystemError) in try FileSystem.list("\(root)/tmp") }
    let hourAgo = Platform.wallClockMilliseconds / 1000 - 3600
    return names.filter { name in
      let process = Int32(name.prefix { $0 != "-" })
      let isGone = process.map { kill($0, 0) != 0 && errno == ESRCH } ?? true
      return isGone || FileSystem.modificationSeconds(of: "\(root)/tmp/\(name)") ?? 0 < hourAgo
    }
  }
}
