/// A place in a text file; both numbers count from 1, columns are Unicode scalars.
public struct TextPosition: Sendable, Hashable, Comparable {
  // Each value of an import has one.
  private var lineNumber: Int32
  private var columnNumber: Int32
  private var sourceNumber: Int32

  /// Names a place.
  public init(line: Int, column: Int, source: Int = 0) {
    lineNumber = Int32(clamping: line)
    columnNumber = Int32(clamping: column)
    sourceNumber = Int32(clamping: source)
  }

  /// The line.
  public var line: Int {
    get { Int(lineNumber) }
    set { lineNumber = Int32(clamping: newValue) }
  }

  /// The column.
  public var column: Int {
    get { Int(columnNumber) }
    set { columnNumber = Int32(clamping: newValue) }
  }

  /// Which of several files that are read together; 0 for the first.
  public var source: Int {
    get { Int(sourceNumber) }
    set { sourceNumber = Int32(clamping: newValue) }
  }

  /// `line:column`.
  public var text: String { "\(line):\(column)" }

  /// By file, line and column.
  public static func < (first: TextPosition, second: TextPosition) -> Bool {
    (first.source, first.line, first.column) < (second.source, second.line, second.column)
  }
}
