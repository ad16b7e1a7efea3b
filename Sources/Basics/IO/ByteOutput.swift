#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A buffered stream of bytes into a file descriptor or into memory.
///
/// Write errors are kept, not thrown: `failure` tells at the end, and a broken pipe ends all
/// further writing quietly, as a filter should.
package final class ByteOutput {
  /// What has not been written yet; formats may append to it directly, then call `spill`.
  package var buffer: [UInt8] = []
  /// The first error that writing met.
  package private(set) var failure: SystemError?
  private let file: FileHandle?
  private static let spillSize = 1 << 16

  /// Writes to an open file.
  package init(_ file: FileHandle) { self.file = file }

  /// Collects in memory, for tests and for the completion of words.
  package init() { file = nil }

  deinit { flush() }

  /// Whether nobody reads any longer (`EPIPE`).
  package var isBroken: Bool { failure?.number == EPIPE }

  /// Appends text.
  package func write(_ text: String) {
    buffer.append(contentsOf: text.utf8)
    spill()
  }

  /// Appends a line.
  package func line(_ text: String) {
    buffer.append(contentsOf: text.utf8)
    buffer.append(UInt8(ascii: "\n"))
    spill()
  }

  /// Appends bytes.
  package func write(_ bytes: UnsafeRawBufferPointer) {
    buffer.append(contentsOf: bytes)
    spill()
  }

  /// Hands the buffer on when it is long enough to be worth a system call.
  package func spill() {
    if buffer.count >= Self.spillSize { flush() }
  }

  /// Hands on all that was written.
  package func flush() {
    guard let file, !buffer.isEmpty else { return }
    if failure == nil {
      do throws(SystemError) {
        try file.writeAll(buffer)
      } catch {
        failure = error
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
