/// Reads a file line by line in bounded memory.
public final class LineReader {
  private let buffer: InputBuffer
  /// Whether a carriage return before the line feed is part of the line.
  private let keepsCarriageReturns: Bool
  /// The number of the last line returned by `next`, from 1.
  public private(set) var lineNumber = 0

  /// Reads from the current place of an open file.
  public init(_ file: FileHandle, keepsCarriageReturns: Bool = false) {
    buffer = InputBuffer(file)
    self.keepsCarriageReturns = keepsCarriageReturns
  }

  /// Returns the next line without its end, valid until the next call and while the reader exists;
  /// nil at the end of the file.
  public func next() throws(SystemError) -> UnsafeRawBufferPointer? {
    var searched = 0
    while true {
      if let feed = buffer.find(UInt8(ascii: "\n"), from: searched) {
        return line(feed, taking: feed + 1)
      }
      searched = buffer.count
      if buffer.isAtEnd {
        return buffer.count == 0 ? nil : line(buffer.count, taking: buffer.count)
      }
      try buffer.fill()
    }
  }

  private func line(_ count: Int, taking taken: Int) -> UnsafeRawBufferPointer {
    lineNumber += 1
    let endsInReturn = count > 0 && buffer[count - 1] == UInt8(ascii: "\r")
    let line = buffer[0..<(endsInReturn && !keepsCarriageReturns ? count - 1 : count)]
    buffer.take(taken)
    return line
  }
}
