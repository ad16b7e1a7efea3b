public import Basics
public import CloudModel

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The contents of assets as files named by their hash.
///
/// A file is made so that a power loss never leaves a record without its contents: temporary file,
/// hash, fsync, rename, fsync of the directory, and only then the record's row (RS2).
public struct AssetFiles: Sendable {
  /// The folder of all contents.
  public let root: String
  /// What interrupts copies.
  public let interruption: Interruption
  private static let chunkSize = 4 << 20

  /// Names a folder, without touching it. A raised interruption ends copies.
  public init(folder: String, _ interruption: Interruption = .never) {
    (root, self.interruption) = (folder, interruption)
  }

  private func shard(_ hash: String) -> String {
    "\(root)/\(hash.prefix(2))/\(hash.dropFirst(2).prefix(2))"
  }

  /// The path of the contents of an asset.
  public func path(of asset: Asset) -> String { "\(shard(asset.sha256))/\(asset.sha256)" }

  /// Whether the contents of an asset exist, by name and size. Throws `StoreError` if that cannot
  /// be determined.
  public func contains(_ asset: Asset) throws(StoreError) -> Bool {
    try onDisk { () throws(SystemError) in
      try FileSystem.statusIfAny(of: path(of: asset)).map { Int64($0.st_size) == asset.size }
        ?? false
    }
  }

  /// The folders of contents must not be links (T10).
  public func requireFolders(of asset: Asset) throws(SystemError) {
    let folder = shard(asset.sha256)
    for path in [root, FileSystem.parent(of: folder), folder] {
      guard try FileSystem.knownStatus(of: path).st_mode & S_IFMT == S_IFDIR else {
        throw SystemError("use", path, number: ENOTDIR)
      }
    }
  }

  // MARK: Adding

  /// Contents that are in the store under a temporary name, hashed.
  public struct Draft: Sendable {
    /// The hash and the size.
    public let asset: Asset
    /// Whether they would survive a power loss already.
    let isSynchronized: Bool
    let path: String
  }

  /// Copies an open file into the store, up to its end. A caller that drafts many files may leave
  /// their synchronization to `synchronizeAll`.
  public func draft(
    from source: FileHandle, isSynchronized: Bool = true
  ) throws(StoreError) -> Draft {
    let path = temporaryPath()
    do throws(StoreError) {
      return try onDisk { () throws(SystemError) in
        let target = try FileHandle(create: path)
        let before = try source.status()
        let isFile = before.st_mode & S_IFMT == S_IFREG
        let asset =
          isFile && before.st_size > Int64(Self.chunkSize)
          ? try AssetCopy(source, target, interruption, isSynchronized: isSynchronized).run()
          : try copyPlainly(source, target, isSynchronized: isSynchronized)
        return Draft(asset: asset, isSynchronized: isSynchronized, path: path)
      }
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Writes bytes into the store; `isSynchronized` as above.
  public func draft(
    of bytes: [UInt8], isSynchronized: Bool = true
  ) throws(StoreError) -> Draft {
    let path = temporaryPath()
    do throws(StoreError) {
      return try onDisk { () throws(SystemError) in
        let target = try FileHandle(create: path)
        try target.writeAll(bytes)
        if isSynchronized { try target.synchronize() }
        return Draft(
          asset: Self.asset(of: bytes), isSynchronized: isSynchronized, path: path)
      }
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Links a draft under a second temporary name, so that each of several saves can keep or discard
  /// its own.
  public func draft(again draft: Draft) throws(StoreError) -> Draft {
    let path = temporaryPath()
    try onDisk { () throws(SystemError) in try FileSystem.link(draft.path, to: path) }
    return Draft(asset: draft.asset, isSynchronized: draft.isSynchronized, path: path)
  }

  func temporaryPath() -> String {
    "\(root)/tmp/\(getpid())-\(UInt64.random(in: .min ... .max))"
  }

  /// Copies and hashes chunk by chunk: for pipes and small files.
  private func copyPlainly(
    _ source: FileHandle, _ target: FileHandle, isSynchronized: Bool
  ) throws(SystemError) -> Asset {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    var hash = SHA256()
    var size: Int64 = 0
    while true {
      let count = try source.read(into: buffer)
      if count == 0 { break }
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      hash.update(bytes)
      try target.write(all: bytes)
      size += Int64(count)
    }
    if isSynchronized { try target.synchronize() }
    return Asset(hash: hash.finish(), size: size)
  }

  /// Renames contents to their final name; the caller holds the writer's lock until the row that
  /// names them is committed. A caller that keeps many may leave the synchronization of their names
  /// to `synchronizeAll`.
  public func keep(_ draft: Draft, isSynchronized: Bool = true) throws(StoreError) {
    try onDisk { () throws(SystemError) in
      if isSynchronized, !draft.isSynchronized { try FileSystem.synchronize(draft.path) }
      let directory = shard(draft.asset.sha256)
      let parent = FileSystem.parent(of: directory)
      if try FileSystem.makeDirectory(parent), isSynchronized {
        try FileSystem.synchronizeDirectory(root)
      }
      if try FileSystem.makeDirectory(directory), isSynchronized {
        try FileSystem.synchronizeDirectory(parent)
      }
      try requireFolders(of: draft.asset)
      let path = path(of: draft.asset)
      if Platform.renameExclusively(draft.path, path) != 0 {
        guard errno == EEXIST else { throw SystemError("keep", path) }
        if (try? isIntact(draft.asset)) == true {
          unlink(draft.path)
        } else {
          // The existing file is damaged or unreadable; a second name that a snapshot has for it
          // remains.
          try FileSystem.rename(draft.path, to: path)
        }
      }
      if isSynchronized { try FileSystem.synchronizeDirectory(directory) }
    }
  }

  /// Synchronizes all contents and drafts, with their names.
  public func synchronizeAll() throws(StoreError) {
    try onDisk { () throws(SystemError) in try FileSystem.synchronizeAll(root) }
  }

  /// Removes unused contents; what cannot be removed is collected later.
  public func remove(_ hash: String) {
    guard let asset = Asset(sha256: hash, size: 0) else { return }
    unlink(path(of: asset))
  }

  /// Removes a draft that was not kept.
  public func discard(_ draft: Draft) { unlink(draft.path) }

  // MARK: Hashing

  /// The asset with some bytes as its contents.
  public static func asset(of bytes: [UInt8]) -> Asset {
    Asset(hash: SHA256.hash(bytes), size: Int64(bytes.count))
  }

  /// The asset with the rest of an open file as its contents. Throws `SystemError`.
  public static func asset(of file: FileHandle) throws -> Asset {
    let (hash, size) = try hash(of: { try file.read(into: $0) }) { _ in }
    return Asset(hash: hash, size: size)
  }

  /// Passes the rest of an open file to `target`, piece by piece, and returns its hash. Throws
  /// `SystemError`, and the errors of `target`.
  public static func copy(
    _ file: FileHandle, to target: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> String {
    try hash(of: { try file.read(into: $0) }, target).0.hexadecimal
  }

  /// Hashes the bytes that `read` puts into a buffer, until it returns 0, and passes them on.
  private static func hash(
    of read: (UnsafeMutableRawBufferPointer) throws -> Int,
    _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> ([UInt8], size: Int64) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var hash = SHA256()
    var size: Int64 = 0
    while true {
      let count = try read(buffer)
      if count == 0 { return (hash.finish(), size) }
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      hash.update(bytes)
      try body(bytes)
      size += Int64(count)
    }
  }

  // MARK: Copying out

  /// Passes contents to `target`, piece by piece, and checks their hash.
  ///
  /// Returns false if the stored contents do not match their hash. Throws `StoreError` for the
  /// store's file and `SystemError` for the target.
  public func copy(
    _ asset: Asset, to target: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Bool {
    try read(asset, target) == asset.sha256
  }

  /// Whether contents are large enough to be copied by threads.
  public static func isLarge(_ asset: Asset) -> Bool { asset.size > Int64(chunkSize) }

  /// Copies contents to an unused path; the caller must synchronize them. Returns false if they do
  /// not match their hash. Throws `StoreError` for the store's file and `SystemError` for the copy.
  public func copy(_ asset: Asset, to path: String) throws -> Bool {
    let source = try onDisk { () throws(SystemError) in
      try requireFolders(of: asset)
      return try FileHandle(openOwn: self.path(of: asset), O_RDONLY)
    }
    let target = try FileHandle(create: path)
    guard Self.isLarge(asset) else {
      return try copyPlainly(source, target, isSynchronized: false) == asset
    }
    return try AssetCopy(source, target, interruption, isSynchronized: false, isStored: true)
      .run() == asset
  }

  /// The actual hash of an asset's contents.
  public func hash(of asset: Asset) throws(StoreError) -> String {
    do { return try read(asset) { _ in } } catch let error as StoreError { throw error } catch {
      throw StoreError(.inputOutput, "\(error)")
    }
  }

  /// Passes contents to `body`, piece by piece, and returns their hash.
  private func read(
    _ asset: Asset, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> String {
    let source = try onDisk { () throws(SystemError) in
      try requireFolders(of: asset)
      return try FileHandle(openOwn: path(of: asset), O_RDONLY)
    }
    let (hash, _) = try Self.hash(
      of: { buffer in try onDisk { () throws(SystemError) in try source.read(into: buffer) } },
      body)
    return hash.hexadecimal
  }
}

extension Asset {
  init(hash: [UInt8], size: Int64) {
    guard let asset = Asset(sha256: hash.hexadecimal, size: size) else {
      preconditionFailure("a digest is a hash")
    }
    self = asset
  }
}
