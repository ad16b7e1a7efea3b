internal import Basics
internal import CloudModel

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Copies a large file: one thread reads a piece while the caller hashes the previous one and
/// another thread writes the one before that, so that the slowest of them decides. All use the same
/// bytes in memory: a source that changes meanwhile cannot leave contents under a wrong hash.
///
/// Where the file system allows it, the copy bypasses the page cache. It must reach the disk before
/// the record that names it, and a gigabyte of new cache pages costs more than everything else. A
/// stored file bypasses the cache when it is read, too: it is not in there.
final class AssetCopy: @unchecked Sendable {
  private let source: FileHandle
  private let target: FileHandle
  private let interruption: Interruption
  private let isSynchronized: Bool
  private var readsDirectly: Bool
  private var writesDirectly = false
  private let free = Channel<Piece>(capacity: pieceCount)
  private let filled = Channel<Piece>(capacity: pieceCount)
  private let hashed = Channel<Piece>(capacity: pieceCount)
  private var readingFailure: SystemError?
  private var writingFailure: SystemError?
  private static let pieceCount = 4
  private static let pieceSize = 1 << 20
  /// The granularity of addresses and lengths of direct writes.
  private static let alignment = 4096

  /// A piece of the file in memory.
  private struct Piece: @unchecked Sendable {
    let memory: UnsafeMutableRawBufferPointer
    var count = 0

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }
  }

  /// Copies from one open file to another. The copy then survives a power loss, unless the caller
  /// synchronizes many at once. `isStored` means that the source is such a copy, which the page
  /// cache does not have.
  init(
    _ source: FileHandle, _ target: FileHandle, _ interruption: Interruption,
    isSynchronized: Bool, isStored: Bool = false
  ) {
    (self.source, self.target, self.interruption) = (source, target, interruption)
    (self.isSynchronized, readsDirectly) = (isSynchronized, isStored)
  }

  func run() throws(SystemError) -> Asset {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.pieceCount * Self.pieceSize, alignment: Self.alignment)
    defer { memory.deallocate() }
    for index in 0..<Self.pieceCount {
      let start = index * Self.pieceSize
      _ = free.send(Piece(memory: .init(rebasing: memory[start..<start + Self.pieceSize])))
    }
    let writer = try Worker { self.write() }
    let reader: Worker
    do throws(SystemError) { reader = try Worker { self.read() } } catch {
      hashed.close()
      writer.join()
      throw error
    }
    let asset = hash()
    reader.join()
    writer.join()
    if let failure = readingFailure ?? writingFailure { throw failure }
    return asset
  }

  private func read() {
    defer { filled.close() }
    readsDirectly = readsDirectly && Platform.setDirect(source.descriptor, true)
    do throws(SystemError) {
      while var piece = free.receive() {
        if interruption.isRaised { throw SystemError("read", source.path, number: EINTR) }
        try fill(&piece)
        if piece.count == 0 { break }
        _ = filled.send(piece)
      }
    } catch {
      readingFailure = error
    }
  }

  private func hash() -> Asset {
    defer { hashed.close() }
    var hash = SHA256()
    var size: Int64 = 0
    while let piece = filled.receive() {
      hash.update(piece.bytes)
      size += Int64(piece.count)
      _ = hashed.send(piece)
    }
    return Asset(hash: hash.finish(), size: size)
  }

  private func write() {
    defer { free.close() }
    writesDirectly = Platform.setDirect(target.descriptor, true)
    do throws(SystemError) {
      var offset: Int64 = 0
      while let piece = hashed.receive() {
        try write(piece.bytes, at: offset)
        offset += Int64(piece.count)
        _ = free.send(piece)
      }
      if isSynchronized, readingFailure == nil { try target.synchronize() }
    } catch {
      writingFailure = error
    }
  }

  private func fill(_ piece: inout Piece) throws(SystemError) {
    piece.count = 0
    while piece.count < piece.memory.count {
      let count = try read(into: .init(rebasing: piece.memory[piece.count...]))
      if count == 0 { return }
      piece.count += count
    }
  }

  /// Bypasses the page cache as far as possible: not at the end of a file.
  private func read(into memory: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    do throws(SystemError) { return try source.read(into: memory) } catch {
      guard error.number == EINVAL, readsDirectly else { throw error }
      readsDirectly = false
      _ = Platform.setDirect(source.descriptor, false)
      return try source.read(into: memory)
    }
  }

  /// Writes all bytes; the end of a file, and what the file system cannot write directly, goes
  /// through the page cache.
  private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      if writesDirectly, (bytes.count - done) % Self.alignment != 0 { writeThroughCache() }
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = pwrite(
        target.descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
      if count >= 0 {
        done += count
      } else if errno == EINVAL, writesDirectly {
        writeThroughCache()
      } else if errno != EINTR {
        throw SystemError("write", target.path)
      }
    }
  }

  private func writeThroughCache() {
    writesDirectly = false
    _ = Platform.setDirect(target.descriptor, false)
  }
}
