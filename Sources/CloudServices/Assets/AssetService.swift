public import Basics
public import CloudModel
internal import RecordStore
internal import StoreFiles

/// Contents stored under a temporary name until a save keeps them.
public struct StagedAsset: Sendable {
  /// The hash and the size.
  public var asset: Asset { draft.asset }
  let draft: AssetFiles.Draft
}

extension Request {
  /// Checks whether an asset may be saved (R3.5). An asset over CloudKit's size limit returns a
  /// notice; throws `limitExceeded` in a strict request.
  public func check(_ asset: Asset) throws(CloudError) -> Notice? {
    guard asset.size > Limits.assetSize else { return nil }
    guard isStrict else { return .largeAsset(asset) }
    throw CloudError(
      .limitExceeded,
      "the asset has \(asset.size) bytes; at most \(Limits.assetSize) are allowed")
  }
}

extension WriteTransaction {
  /// Gives staged contents their permanent name. Throws as `Request.check`, and `StoreError`.
  func keep(_ staged: StagedAsset) throws {
    if let notice = try request.check(staged.asset) { note(notice) }
    try store.assets.keep(staged.draft)
    readableAssets.insert(staged.asset)
  }
}

extension CloudError {
  /// The error for a hash of contents that are not in the store, or that the account cannot read.
  /// It does not tell which.
  static func missingAsset(_ asset: Asset) -> CloudError {
    CloudError(
      .assetFileNotFound,
      "no record that this account can read has the contents \(asset.sha256)",
      remedy: .giveContents)
  }
}

extension CloudEnvironment {
  /// Copies a file into the store and hashes it. Throws `assetFileNotFound` for a file that cannot
  /// be opened, or is a device, which may have no end, and `assetFileModified` for one that changes
  /// during the copy (R6.8).
  public func stage(_ path: String) throws(CloudError) -> StagedAsset {
    let file: FileHandle
    do {
      file = try FileHandle(open: path, 0)
      if try file.state().isDevice {
        throw CloudError(.assetFileNotFound, "cannot read \(path): it is a device")
      }
    } catch let error as CloudError { throw error } catch {
      throw CloudError(.assetFileNotFound, "\(error)")
    }
    return try stage(file)
  }

  /// Copies an open file into the store, up to its end. Throws as `stage(_:)`.
  public func stage(_ file: FileHandle) throws(CloudError) -> StagedAsset {
    try serving {
      let before = try file.state()
      guard !before.isDirectory else {
        throw CloudError(.assetFileNotFound, "cannot read \(file.path): it is a directory")
      }
      let draft = try store.assets.draft(from: file)
      guard try !before.isRegular || file.state() == before else {
        store.assets.discard(draft)
        throw CloudError(
          .assetFileModified, "the file changed while it was being read: \(file.path)")
      }
      return StagedAsset(draft: draft)
    }
  }

  /// Copies the contents of a source into the store. Throws as `stage(_:)`.
  func stage(_ source: AssetSource) throws(CloudError) -> StagedAsset {
    switch source {
    case .file(let path):
      do { return try stage(FileHandle(openRegular: path)) } catch let error as CloudError {
        throw error
      } catch { throw CloudError(.assetFileNotFound, "\(error)") }
    case .bytes(let bytes):
      return try serving { StagedAsset(draft: try store.assets.draft(of: bytes)) }
    case .random(let seed, let size):
      let bytes = SplitMix64.bytes(size, state: seed)
      return try serving { StagedAsset(draft: try store.assets.draft(of: bytes)) }
    }
  }

  /// Discards contents that no save has kept.
  public func discard(_ staged: StagedAsset) { store.assets.discard(staged.draft) }

  /// Discards the staged contents of all assignments.
  public func discard(_ assignments: [FieldAssignment]) {
    for assignment in assignments { assignment.staged.forEach(discard) }
  }

  /// Keeps all asset contents in place while `work` reads them; unreferenced ones are removed
  /// later. Throws what `work` throws, and `CloudError`.
  public func holdingAssets<T>(_ work: () throws -> T) throws -> T {
    let hold = try serving { try store.holdAssets() }
    defer { hold?.unlock() }
    return try work()
  }

  /// Removes contents that no record references any more (R6.4, R6.5). Returns the number of files
  /// removed and their size in bytes.
  public func collectAssets() throws(CloudError) -> (count: Int, bytes: Int64) {
    // Uses the system clock, because file dates do.
    let now = Timestamp(milliseconds: Platform.wallClockMilliseconds)
    return try write { try store.collectAssets(now: now) }
  }

  /// The assets whose contents are missing or damaged.
  public func damagedAssets(
    _ meter: WorkMeter? = nil
  ) throws(CloudError) -> (checked: Int, damaged: [Asset]) {
    let hold = try serving { try store.holdAssets() }
    defer { hold?.unlock() }
    return try read {
      let held = try store.heldAssets()
      meter?.begin("read assets", total: held.reduce(0) { $0 + $1.size }, .bytes)
      let damaged = try held.filter { asset in
        defer { meter?.advance(asset.size) }
        return try !store.assets.isIntact(asset)
      }
      return (held.count, damaged)
    }
  }

  /// Writes the contents of a record's asset to an open file and checks their hash. Throws
  /// `assetNotAvailable` when they are missing or damaged, `SystemError` for the target.
  public func copy(_ asset: Asset, of record: Record, to target: FileHandle) throws {
    try requireAssets(of: record)
    try copy(asset, to: target)
  }

  /// Throws the error of an injected fault that strikes the reading of a record's assets.
  public func requireAssets(of record: Record) throws(CloudError) {
    try strike(.asset, [record.type], in: record.zone, isReading: true)
  }

  /// Writes contents to an open file and checks their hash. Throws as `copy(_:of:to:)`.
  public func copy(_ asset: Asset, to target: FileHandle) throws {
    try copy(asset) { try target.write(all: $0) }
  }

  /// The contents of an asset. Throws `assetNotAvailable` when they are missing or damaged.
  public func contents(of asset: Asset) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try copy(asset) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Whether the store contains the contents of an asset, by name and size. Throws `CloudError` if
  /// that cannot be determined.
  public func has(_ asset: Asset) throws(CloudError) -> Bool {
    try serving { try store.assets.contains(asset) }
  }

  /// Passes contents to `target` in chunks and checks their hash. Throws as `copy(_:of:to:)`, and
  /// what `target` throws.
  public func copy(
    _ asset: Asset, to target: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    guard try has(asset) else { throw CloudError.damagedContents(asset, isMissing: true) }
    let isIntact: Bool
    do { isIntact = try store.assets.copy(asset, to: target) } catch let error as StoreError {
      throw CloudError(error)
    }
    guard isIntact else { throw CloudError.damagedContents(asset) }
  }

  /// Verifies the contents of an asset, before output that cannot be taken back. Throws
  /// `assetNotAvailable` when they are missing or damaged.
  public func verify(_ asset: Asset) throws { try copy(asset) { _ in } }
}

extension AssetSource {
  /// Returns the hash and the size of the contents, without a store. Throws `assetFileNotFound` for
  /// a file that cannot be read.
  public func asset() throws(CloudError) -> Asset {
    switch self {
    case .file(let path):
      do {
        let file = try FileHandle(openRegular: path)
        return try AssetFiles.asset(of: file)
      } catch let error as CloudError { throw error } catch {
        throw CloudError(.assetFileNotFound, "\(error)")
      }
    case .bytes(let bytes): return AssetFiles.asset(of: bytes)
    case .random(let seed, let size):
      return AssetFiles.asset(of: SplitMix64.bytes(size, state: seed))
    }
  }

  /// The name of the source in messages.
  var name: String {
    switch self {
    case .file(let path): path
    case .bytes: "the text of the fixture"
    case .random: "chance"
    }
  }
}
