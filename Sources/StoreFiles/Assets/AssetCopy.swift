internal import Basics
internal import CloudModel

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Copies a large file in one thread while another hashes what is copied, so that neither waits
/// for the other's part. Both see the same bytes in memory: a source that changes meanwhile
/// cannot leave contents under a wrong hash.
///
/// The copy goes to the disk past the page cache where the file system lets it. It has to get
/// there before the record that names it anyway, and a gigabyte of fresh cache pages costs more
/// than all the rest.
final class AssetCopy: @unchecked Sendable {
  private let source: FileHandle
  private let target: FileHandle
  private let isSynchronized: Bool
  private let filled = Channel<Piece>(capacity: pieceCount)
  private let free = Channel<Piece>(capacity: pieceCount)
  private var isDirect = false
  private var failure: SystemError?
  private static let pieceCount = 4
  private static let pieceSize = 2 << 20
  /// What the addresses and lengths of direct writes are multiples of.
  private static let alignment = 4096

  /// A piece of the file in memory.
  private struct Piece: @unchecked Sendable {
    let memory: UnsafeMutableRawBufferPointer
    var count = 0

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }
  }

  /// Copies from one open file to another, which lasts through a power loss then, unless the caller
  /// synchronizes many at once.
  init(_ source: FileHandle, _ target: FileHandle, isSynchronized: Bool) {
    self.source = source
    self.target = target
    self.isSynchronized = isSynchronized
  }

  func run() throws(SystemError) -> Asset {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.pieceCount * Self.pieceSize, alignment: Self.alignment)
    defer { memory.deallocate() }
    for index in 0..<Self.pieceCount {
      let start = index * Self.pieceSize
      _ = free.send(Piece(memory: .init(rebasing: memory[start..<start + Self.pieceSize])))
    }
    let copier = try Worker { self.copy() }
    let asset = hash()
    copier.join()
    if let failure { throw failure }
    return asset
  }

  private func hash() -> Asset {
    var hash = SHA256()
    var size: Int64 = 0
    while let piece = filled.receive() {
      hash.update(piece.bytes)
      size += Int64(piece.count)
      _ = free.send(piece)
    }
    return Asset(hash: hash.finish(), size: size)
  }

  private func copy() {
    defer { filled.close() }
    do throws(SystemError) {
      isDirect = Platform.setDirect(target.descriptor, true)
      var offset: Int64 = 0
      while var piece = free.receive() {
        try fill(&piece)
        if piece.count == 0 { break }
        _ = filled.send(piece)
        try write(piece.bytes, at: offset)
        offset += Int64(piece.count)
      }
      if isSynchronized { try target.synchronize() }
    } catch {
      failure = error
    }
  }

  private func fill(_ piece: inout Piece) throws(SystemError) {
    piece.count = 0
    while piece.count < piece.memory.count {
      let count = try source.read(into: .init(rebasing: piece.memory[piece.count...]))
      if count == 0 { return }
      piece.count += count
    }
  }

  /// Writes all bytes; the end of a file, and what a file system does not take directly, goes
  /// through the page cache.
  private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      if isDirect, (bytes.count - done) % Self.alignment != 0 { leaveDirect() }
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = pwrite(
        target.descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
      if count >= 0 {
        done += count
      } else if errno == EINVAL, isDirect {
        leaveDirect()
      } else if errno != EINTR {
        throw SystemError("write", target.path)
      }
    }
  }

  private func leaveDirect() {
    isDirect = false
    _ = Platform.setDirect(target.descriptor, false)
  }
}
