/// Splits a JSON text into the elements of its array, in bounded memory; a text without an array is
/// a sequence of values. Does not parse the elements.
public final class JSONElementReader {
  private let buffer: InputBuffer
  private var line = 1
  private var column = 1
  private var state = State.beginning

  private enum State {
    case beginning
    case sequence
    case firstElement
    case separator
    case element
    case over
  }

  /// A part of the text; lines and columns count from 1, columns in Unicode scalars.
  public enum Element {
    /// An element's bytes, valid until the next call, and its position.
    case element(UnsafeRawBufferPointer, line: Int, column: Int)
    /// An error between the elements, and its position; nothing follows.
    case fault(String, line: Int, column: Int)
  }

  /// Reads from the current place of an open file.
  public init(_ file: FileHandle) { buffer = InputBuffer(file) }

  /// Returns the next element; nil at the end.
  public func next() throws(SystemError) -> Element? {
    while state != .over {
      guard let byte = try peek() else { return endOfText() }
      switch (state, byte) {
      case (.beginning, UInt8(ascii: "[")):
        advance(1)
        state = .firstElement
      case (.firstElement, UInt8(ascii: "]")), (.separator, UInt8(ascii: "]")):
        advance(1)
        state = .over
        return try peek() == nil ? nil : fault("unexpected text after the array")
      case (.separator, UInt8(ascii: ",")):
        advance(1)
        state = .element
      case (.separator, _): return fault("expected \",\" or \"]\"")
      case (.beginning, _), (.sequence, _):
        state = .sequence
        return try element()
      case (.firstElement, _), (.element, _):
        state = .separator
        return try element()
      case (.over, _): return nil
      }
    }
    return nil
  }

  private func fault(_ message: String) -> Element {
    state = .over
    return .fault(message, line: line, column: column)
  }

  private func endOfText() -> Element? {
    if state == .beginning || state == .sequence {
      state = .over
      return nil
    }
    return fault("the text ends within the array")
  }

  /// The next byte that is not a blank.
  private func peek() throws(SystemError) -> UInt8? {
    while true {
      while buffer.count > 0 {
        let byte = buffer[0]
        guard JSONParser.isBlank(byte) else { return byte }
        advance(1)
      }
      if buffer.isAtEnd { return nil }
      try buffer.fill()
    }
  }

  private func advance(_ count: Int) {
    for byte in buffer[0..<count] {
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    buffer.take(count)
  }

  private func element() throws(SystemError) -> Element {
    var scan = ElementScan()
    while !scan.isOver {
      if scan.place == buffer.count {
        if buffer.isAtEnd { break }
        try buffer.fill()
        continue
      }
      scan.take(buffer[scan.place])
    }
    if scan.place == 0 { return fault("expected a value") }
    let bytes = buffer[0..<scan.place]
    let (line, column) = (self.line, self.column)
    advance(scan.place)
    return .element(bytes, line: line, column: column)
  }
}

/// Finds the end of a value by its brackets and quotes.
private struct ElementScan {
  private(set) var place = 0
  private(set) var isOver = false
  private var depth = 0
  private var isInString = false
  private var isEscaped = false

  mutating func take(_ byte: UInt8) {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
        isOver = depth == 0
      }
      place += 1
      return
    }
    switch byte {
    case UInt8(ascii: "\""): isInString = true
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      if depth == 0 {
        isOver = true
        return
      }
      depth -= 1
      isOver = depth == 0
    case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
      if depth == 0 {
        isOver = true
        return
      }
    default: break
    }
    place += 1
  }
}
