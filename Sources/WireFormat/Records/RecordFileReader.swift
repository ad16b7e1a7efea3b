public import Basics
public import CloudModel

/// Reads the records of a file one by one, in every format (M5). A JSON text is an array or a
/// sequence of records, or of pages of records.
public final class RecordFileReader {
  private var source: Source
  /// The page whose records come before the rest of the source; nil for none.
  private var page: RecordPage?
  private var isOver = false

  private enum Source {
    case lines(LineReader)
    case elements(JSONElementReader)
    case table(SeparatedValuesReader, RecordTable?)
    case propertyList(FileHandle)
    case records(ArraySlice<RecordText>)
  }

  /// One record's text.
  public enum Item {
    /// The bytes of one JSON value, valid until the next call, and its position.
    case json(UnsafeRawBufferPointer, TextPosition)
    /// A row of a table.
    case row(SeparatedValuesReader.Row, RecordTable)
    /// A record of a property list, which is read as a whole.
    case record(RecordText)
    /// A fault of the whole text; nothing follows.
    case fault(RecordReadingError)
  }

  /// The limit on a text that is read as a whole, in megabytes. Each line may have 64 MB.
  static let mostMegabytes = 256

  /// Reads from the current place of an open file.
  public init(_ file: FileHandle, _ format: TextFormat) {
    source =
      switch format {
      case .jsonl: .lines(LineReader(file))
      case .json, .wire: .elements(JSONElementReader(file))
      case .csv: .table(SeparatedValuesReader(file, separator: UInt8(ascii: ",")), nil)
      case .tsv: .table(SeparatedValuesReader(file, separator: UInt8(ascii: "\t")), nil)
      case .propertyList: .propertyList(file)
      }
  }

  /// Returns the next record; nil at the end. Throws `SystemError` for the file.
  public func next() throws(SystemError) -> Item? {
    if isOver { return nil }
    if let (text, position) = page?.next() { return .json(text, position) }
    page = nil
    switch source {
    case .lines(let lines): return try nextLine(lines)
    case .elements(let elements): return try nextElement(elements)
    case .table(let rows, let table): return try nextRow(rows, table)
    case .propertyList(let file): return try propertyList(file)
    case .records(var rest):
      let first = rest.popFirst()
      source = .records(rest)
      return first.map { .record($0) }
    }
  }

  private func end(with error: RecordReadingError) -> Item {
    isOver = true
    return .fault(error)
  }

  private func nextLine(_ lines: LineReader) throws(SystemError) -> Item? {
    while let line = try lines.next() {
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
      return try json(line, TextPosition(line: lines.lineNumber, column: 1))
    }
    return nil
  }

  /// Returns one JSON value or, if it is a page, its first record.
  private func json(
    _ bytes: UnsafeRawBufferPointer, _ position: TextPosition
  ) throws(SystemError) -> Item? {
    page = RecordPage(bytes, at: position)
    return page == nil ? .json(bytes, position) : try next()
  }

  private func nextElement(_ elements: JSONElementReader) throws(SystemError) -> Item? {
    switch try elements.next() {
    case .element(let bytes, let line, let column)?:
      try json(bytes, TextPosition(line: line, column: column))
    case .fault(let message, let line, let column)?:
      end(
        with: RecordReadingError(
          message, at: TextPosition(line: line, column: column), isSyntax: true))
    case nil: nil
    }
  }

  private func nextRow(
    _ rows: SeparatedValuesReader, _ table: RecordTable?
  ) throws(SystemError) -> Item? {
    guard let row = try rows.next() else { return nil }
    if let message = rows.fault {
      return end(
        with: RecordReadingError(
          message, at: TextPosition(line: row.line, column: 1), isSyntax: true))
    }
    if let table { return .row(row, table) }
    do throws(RecordReadingError) {
      source = .table(rows, try RecordTable(header: row))
    } catch {
      return end(with: error)
    }
    return try next()
  }

  private func propertyList(_ file: FileHandle) throws(SystemError) -> Item? {
    let bytes = try FileSystem.contents(of: file, atMostMegabytes: Self.mostMegabytes)
    do throws(RecordReadingError) {
      source = .records(try PropertyListRecords.read(bytes)[...])
    } catch {
      return end(with: error)
    }
    return try next()
  }
}
