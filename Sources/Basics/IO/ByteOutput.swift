#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A buffered output stream to a file descriptor or to memory.
///
/// Write errors are stored, not thrown: check `failure` at the end. A broken pipe silently ends all
/// further output, as a filter should.
public final class ByteOutput {
  /// The bytes not written yet; formats may append to it directly, then call `spill`.
  public var buffer: [UInt8] = []
  /// The first write error.
  public private(set) var failure: SystemError?
  /// Whether output was dropped because an interrupt came while it was not being read.
  public private(set) var isCut = false
  private var file: FileHandle?
  /// The output that replaces the file.
  private var substitute: ByteOutput?
  private var holding: Holding?
  private static let spillSize = 1 << 16

  /// Writes to an open file.
  public init(_ file: FileHandle) { self.file = file }

  /// Creates an output to memory, for tests and word completion.
  public init() { file = nil }

  deinit { flush() }

  /// The output descriptor; nil for memory.
  public var descriptor: Int32? { file?.descriptor }

  /// Whether the reader has closed the pipe (`EPIPE`).
  public var isBroken: Bool { substitute?.isBroken ?? (failure?.number == EPIPE) }

  /// Whether further output may still be read.
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

  /// Flushes the buffer if it is large enough to be worth a system call.
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

  // MARK: Holding output

  /// How to handle output that is longer than the limit.
  private struct Holding {
    let lines: Int
    let open: () -> ByteOutput?
  }

  /// Holds output back until it exceeds a number of lines; all of it then goes to the output that
  /// `open` returns, or to the usual one if nil.
  public func hold(lines: Int, _ open: @escaping () -> ByteOutput?) {
    flush()
    holding = Holding(lines: lines, open: open)
  }

  /// Stops holding output, and writes the rest.
  public func release() {
    flush()
    holding = nil
    flush()
    substitute = nil
  }

  /// Whether the output exceeds the limit; if so, calls `open` for its substitute.
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

  /// Closes the file; later output is discarded.
  func close() {
    flush()
    file = nil
  }

  /// Writes the buffer.
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
