/// A place in a text file; both numbers count from 1, columns are Unicode scalars.
public struct TextPosition: Sendable, Hashable, Comparable {
  // Every value of a fixture has a position: three more words would double a short value's size.
  private var lineNumber: UInt32
  private var columnNumber: UInt32
  private var sourceNumber: UInt32

  /// Creates a position.
  public init(line: Int, column: Int, source: Int = 0) {
    lineNumber = UInt32(clamping: line)
    columnNumber = UInt32(clamping: column)
    sourceNumber = UInt32(clamping: source)
  }

  /// The line.
  public var line: Int {
    get { Int(lineNumber) }
    set { lineNumber = UInt32(clamping: newValue) }
  }

  /// The column.
  public var column: Int {
    get { Int(columnNumber) }
    set { columnNumber = UInt32(clamping: newValue) }
  }

  /// The index of the file, if several are read together; 0 for the first.
  public var source: Int {
    get { Int(sourceNumber) }
    set { sourceNumber = UInt32(clamping: newValue) }
  }

  /// `line:column`.
  public var text: String { "\(line):\(column)" }

  /// Orders by file, line and column.
  public static func < (first: TextPosition, second: TextPosition) -> Bool {
    (first.source, first.line, first.column) < (second.source, second.line, second.column)
  }
}
