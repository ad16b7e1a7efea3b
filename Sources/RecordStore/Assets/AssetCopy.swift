internal import Basics
internal import CloudModel
internal import Crypto

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Copies a large file in one thread while another hashes the copy, so that neither waits for
/// the other's part. What is hashed is the copy: a source that changes meanwhile cannot leave
/// contents under a wrong hash.
final class AssetCopy: @unchecked Sendable {
  private let source: FileHandle
  private let target: FileHandle
  private let progress = Channel<Int>(capacity: 1024)
  private var failure: SystemError?
  private static let chunkSize = 4 << 20

  init(_ source: FileHandle, _ target: FileHandle) {
    self.source = source
    self.target = target
  }

  func run() throws(SystemError) -> Asset {
    let copier = Worker { self.copy() }
    defer {
      progress.close()
      copier.join()
    }
    let asset = try hash()
    copier.join()
    if let failure { throw failure }
    return asset
  }

  private func copy() {
    defer { progress.close() }
    do throws(SystemError) {
      while true {
        let count = try copyChunk()
        if count == 0 { break }
        if !progress.send(count) { return }
      }
      try target.synchronize()
    } catch {
      failure = error
    }
  }

  /// Copies a piece inside the kernel, or by hand where the file systems cannot do that.
  private func copyChunk() throws(SystemError) -> Int {
    let count = Platform.copyRange(
      from: source.descriptor, to: target.descriptor, count: Self.chunkSize)
    if count >= 0 { return count }
    guard [EXDEV, ENOSYS, EINVAL, EOPNOTSUPP].contains(errno) else {
      throw SystemError("copy", source.path)
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    let read = try source.read(into: buffer)
    try target.write(all: UnsafeRawBufferPointer(rebasing: buffer[..<read]))
    return read
  }

  private func hash() throws(SystemError) -> Asset {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var hash = SHA256()
    var size: Int64 = 0
    var copied: Int64 = 0
    while let count = progress.receive() {
      copied += Int64(count)
      while size < copied {
        let part = UnsafeMutableRawBufferPointer(
          rebasing: buffer[..<min(buffer.count, Int(copied - size))])
        let read = try target.read(into: part, at: size)
        guard read > 0 else { throw SystemError("read", target.path, number: EIO) }
        hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: part[..<read]))
        size += Int64(read)
      }
    }
    return Asset(hash: hash.finalize(), size: size)
  }
}
