#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A buffered stream of bytes into a file descriptor or into memory.
///
/// Write errors are kept, not thrown: `failure` tells at the end, and a broken pipe ends all
/// further writing quietly, as a filter should.
public final class ByteOutput {
  /// What has not been written yet; formats may append to it directly, then call `spill`.
  public var buffer: [UInt8] = []
  /// The first error that writing met.
  public private(set) var failure: SystemError?
  /// Whether something was left out since an interrupt came while nobody read.
  public private(set) var isCut = false
  private var file: FileHandle?
  /// Where the bytes go instead.
  private var substitute: ByteOutput?
  private var holding: Holding?
  private static let spillSize = 1 << 16

  /// Writes to an open file.
  public init(_ file: FileHandle) { self.file = file }

  /// Collects in memory, for tests and for the completion of words.
  public init() { file = nil }

  deinit { flush() }

  /// The descriptor that is written to; nil for memory.
  public var descriptor: Int32? { file?.descriptor }

  /// Whether nobody reads any longer (`EPIPE`).
  public var isBroken: Bool { substitute?.isBroken ?? (failure?.number == EPIPE) }

  /// Whether what is written from now on may still be read.
  public var isWanted: Bool { !isBroken && !isCut && substitute?.isCut != true }

  /// Appends text.
  public func write(_ text: String) {
    buffer.append(contentsOf: text.utf8)
    spill()
  }

  /// Appends a line.
  public func line(_ text: String) {
    buffer.append(contentsOf: text.utf8)
    buffer.append(UInt8(ascii: "\n"))
    spill()
  }

  /// Appends bytes.
  public func write(_ bytes: UnsafeRawBufferPointer) {
    buffer.append(contentsOf: bytes)
    spill()
  }

  /// Hands the buffer on when it is long enough to be worth a system call.
  public func spill() {
    if buffer.count >= Self.spillSize { flush() }
  }

  private func write(to file: FileHandle) throws(SystemError) {
    let result = buffer.withUnsafeBytes { bytes -> Result<Void, SystemError> in
      do throws(SystemError) {
        return .success(try file.write(all: bytes, endsByInterrupt: true))
      } catch { return .failure(error) }
    }
    try result.get()
  }

  // MARK: Holding back

  /// What becomes of output that is longer than it may be.
  private struct Holding {
    let lines: Int
    let open: () -> ByteOutput?
  }

  /// Holds output back until it has more than some lines; all of it goes to what `open` gives then,
  /// or where it goes otherwise.
  public func hold(lines: Int, _ open: @escaping () -> ByteOutput?) {
    flush()
    holding = Holding(lines: lines, open: open)
  }

  /// Stops holding back, and writes what is left.
  public func release() {
    flush()
    holding = nil
    flush()
    substitute = nil
  }

  /// Whether there is more than is held back; `open` then names its place.
  private func overflows(_ holding: Holding) -> Bool {
    let isLong =
      buffer.count >= Self.spillSize
      || buffer.lazy.filter { $0 == UInt8(ascii: "\n") }.count > holding.lines
    if isLong {
      self.holding = nil
      substitute = holding.open()
    }
    return isLong
  }

  /// Closes the file; nothing is written any more.
  func close() {
    flush()
    file = nil
  }

  /// Hands on all that was written.
  public func flush() {
    if let holding, !overflows(holding) { return }
    if let substitute {
      substitute.buffer.append(contentsOf: buffer)
      substitute.flush()
      return buffer.removeAll(keepingCapacity: true)
    }
    guard let file, !buffer.isEmpty else { return }
    if failure == nil {
      do throws(SystemError) { try write(to: file) } catch {
        if error.number == EINTR { isCut = true } else { failure = error }
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
