/// Reads rows of cells: csv as in RFC 4180, or tsv with `\t`, `\n`, `\r` and `\\` as escapes.
public final class SeparatedValuesReader {
  private let lines: LineReader
  private let separator: UInt8
  private let hasQuotes: Bool
  /// The fault of the last row returned by `next`; nothing can be read after it.
  public private(set) var fault: String?

  /// A row and the number of its first line.
  public struct Row {
    /// The cells.
    public var cells: [Cell]
    /// The line, from 1.
    public var line: Int
  }

  /// A cell and its position.
  public struct Cell {
    /// The text; nil for an empty cell without quotes.
    public var text: String?
    /// The column in its line, from 1, in Unicode scalars.
    public var column: Int
  }

  /// Reads from the current place of an open file.
  public init(_ file: FileHandle, separator: UInt8) {
    hasQuotes = separator != UInt8(ascii: "\t")
    lines = LineReader(file, keepsCarriageReturns: hasQuotes)
    self.separator = separator
  }

  /// Returns the next row that is not blank; nil at the end.
  public func next() throws(SystemError) -> Row? {
    while let line = try lines.next() {
      if line.isEmpty || line.elementsEqual([0x0D]) { continue }
      let number = lines.lineNumber
      var scan = RowScan(separator: separator, hasQuotes: hasQuotes)
      scan.take(line)
      while scan.isInQuotes {
        guard let more = try lines.next() else {
          fault = "a quote is not closed"
          break
        }
        scan.takeLineEnd()
        scan.take(more)
      }
      if let found = scan.fault { fault = found }
      return Row(cells: scan.cells, line: number)
    }
    return nil
  }
}

/// The cells of a row, line by line.
private struct RowScan {
  let separator: UInt8
  let hasQuotes: Bool
  private(set) var cells: [SeparatedValuesReader.Cell] = []
  private(set) var isInQuotes = false
  private(set) var fault: String?
  private var bytes: [UInt8] = []
  private var wasQuoted = false
  private var column = 1
  private var start = 1

  init(separator: UInt8, hasQuotes: Bool) {
    self.separator = separator
    self.hasQuotes = hasQuotes
  }

  mutating func takeLineEnd() {
    bytes.append(0x0A)
    column = 1
  }

  mutating func take(_ line: UnsafeRawBufferPointer) {
    var place = 0
    while place < line.count {
      let byte = line[place]
      if byte & 0xC0 != 0x80 { column += 1 }
      place += 1
      if isInQuotes {
        takeQuoted(byte, line, &place)
      } else if byte == separator {
        endCell()
      } else if hasQuotes, byte == UInt8(ascii: "\""), bytes.isEmpty, !wasQuoted {
        isInQuotes = true
        wasQuoted = true
      } else if hasQuotes, byte == 0x0D, place == line.count {
        break
      } else if !hasQuotes, byte == UInt8(ascii: "\\"), place < line.count {
        bytes.append(Self.unescaped(line[place]))
        place += 1
        column += 1
      } else {
        if wasQuoted { fault = "text after a closing quote" }
        bytes.append(byte)
      }
    }
    if !isInQuotes { endCell() }
  }

  private mutating func takeQuoted(
    _ byte: UInt8, _ line: UnsafeRawBufferPointer, _ place: inout Int
  ) {
    guard byte == UInt8(ascii: "\"") else { return bytes.append(byte) }
    if place < line.count, line[place] == byte {
      bytes.append(byte)
      place += 1
      column += 1
    } else {
      isInQuotes = false
    }
  }

  private static func unescaped(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    default: byte
    }
  }

  private mutating func endCell() {
    let text = String(validating: bytes, as: UTF8.self)
    if text == nil { fault = "a cell is not UTF-8" }
    cells.append(.init(text: bytes.isEmpty && !wasQuoted ? nil : text ?? "", column: start))
    bytes.removeAll(keepingCapacity: true)
    wasQuoted = false
    start = column
  }
}
