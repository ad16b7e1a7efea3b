internal import Basics

/// Converts byte offsets of a text to lines and columns; fastest for increasing offsets.
public struct TextPlaces {
  private let bytes: UnsafeRawBufferPointer
  private let start: TextPosition
  private let isOneLine: Bool
  private var last: (offset: Int, position: TextPosition)

  /// Creates a converter that counts from the position of the first byte.
  public init(_ bytes: UnsafeRawBufferPointer, _ start: TextPosition) {
    self.bytes = bytes
    self.start = start
    isOneLine = !bytes.has(0x0A)
    last = (0, start)
  }

  /// The position of a byte.
  public mutating func position(_ offset: Int) -> TextPosition {
    if offset < last.offset { last = (0, start) }
    let part = UnsafeRawBufferPointer(rebasing: bytes[last.offset..<min(offset, bytes.count)])
    var position = last.position
    if !isOneLine, let feed = part.lastIndex(of: 0x0A) {
      position.line += part.count { $0 == 0x0A }
      position.column = 1 + UnsafeRawBufferPointer(rebasing: part[(feed + 1)...]).scalarCount
    } else {
      position.column += part.scalarCount
    }
    last = (offset, position)
    return position
  }
}
