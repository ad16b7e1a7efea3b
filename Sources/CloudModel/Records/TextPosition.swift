/// A place in a text file; both numbers count from 1, columns are Unicode scalars.
public struct TextPosition: Sendable, Hashable, Comparable {
  /// The line.
  public var line: Int
  /// The column.
  public var column: Int
  /// Which of several files that are read together; 0 for the first.
  public var source: Int

  /// Names a place.
  public init(line: Int, column: Int, source: Int = 0) {
    self.line = line
    self.column = column
    self.source = source
  }

  /// `line:column`.
  public var text: String { "\(line):\(column)" }

  /// By file, line and column.
  public static func < (first: TextPosition, second: TextPosition) -> Bool {
    (first.source, first.line, first.column) < (second.source, second.line, second.column)
  }
}
