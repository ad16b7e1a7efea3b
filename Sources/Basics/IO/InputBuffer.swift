#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A window that moves forward over a file: the bytes read and not yet taken.
final class InputBuffer {
  private let file: FileHandle
  private var storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private(set) var start = 0
  private(set) var end = 0
  private(set) var isAtEnd = false
  private var isAtStart = true
  /// The maximum size of an item, in bytes; the window has one more, which shows a larger one.
  static let largest = 64 << 20

  init(_ file: FileHandle) { self.file = file }

  deinit { free(storage.baseAddress) }

  var path: String { file.path }

  /// How many bytes are available.
  var count: Int { end - start }

  /// A byte, at an offset from the beginning of the window.
  subscript(offset: Int) -> UInt8 { storage[start + offset] }

  /// Bytes, at offsets from the beginning of the window; valid until the next `fill`.
  subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      rebasing: storage[start + range.lowerBound..<start + range.upperBound])
  }

  /// The next occurrence of a byte, as an offset from the beginning of the window.
  func find(_ byte: UInt8, from offset: Int) -> Int? {
    guard offset < count, let base = storage.baseAddress else { return nil }
    guard let found = memchr(base + start + offset, Int32(byte), count - offset) else {
      return nil
    }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base + start)
  }

  /// Removes the first bytes of the window.
  func take(_ count: Int) { start += count }

  /// Reads more bytes; none at the end of the file.
  func fill() throws(SystemError) {
    let kept = count
    if kept > Self.largest {
      throw SystemError("read more than 64 MB for one item of", file.path, number: 0)
    }
    if start > 0, let base = storage.baseAddress {
      base.copyMemory(from: base + start, byteCount: kept)
    }
    start = 0
    end = kept
    if end == storage.count { try grow() }
    let read = try file.read(into: .init(rebasing: storage[end...]))
    end += read
    isAtEnd = read == 0
    if isAtStart { try skipByteOrderMark() }
  }

  /// Skips a UTF-8 byte order mark, which spreadsheets write.
  private func skipByteOrderMark() throws(SystemError) {
    isAtStart = false
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    while count < mark.count, !isAtEnd, self[0..<count].elementsEqual(mark[..<count]) {
      try fill()
    }
    if count >= mark.count, self[0..<mark.count].elementsEqual(mark) { take(mark.count) }
  }

  private func grow() throws(SystemError) {
    let size = storage.isEmpty ? 1 << 18 : min(storage.count * 2, Self.largest + 1)
    // Large blocks are moved without a copy.
    guard let larger = realloc(storage.baseAddress, size) else {
      throw SystemError("read", file.path)
    }
    storage = UnsafeMutableRawBufferPointer(start: larger, count: size)
  }
}
