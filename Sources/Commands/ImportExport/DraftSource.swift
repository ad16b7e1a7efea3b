internal import Basics
internal import CloudModel
internal import CloudServices
internal import WireFormat

/// A record of an import, or why there is none.
enum ImportItem: Sendable {
  case draft(PreparedDraft)
  case fault(ImportFault)
}

/// Reads the records of a file in a thread of its own, so that the writer never waits for text
/// to be parsed; at most a few batches are in memory.
final class DraftSource: @unchecked Sendable {
  private let file: FileHandle
  private let format: TextFormat
  private let transform: DraftTransform
  private let schema: RecordTypeSchema?
  private let channel = Channel<[ImportItem]>(capacity: 4)
  /// Batches that are done with go back: memory is freed cheapest by the thread it is from.
  private let spent = Channel<[ImportItem]>(capacity: 64)
  private var preparer: DraftPreparer?
  private var batch: [ImportItem] = []
  private var failure: SystemError?
  private var batchBytes = 0
  /// Waking the other thread costs tens of microseconds, so batches are large.
  private static let batchSize = 1024
  private static let batchByteLimit = 1 << 20

  init(
    _ file: FileHandle, _ format: TextFormat, _ transform: DraftTransform,
    schema: RecordTypeSchema?
  ) {
    self.file = file
    self.format = format
    self.transform = transform
    self.schema = schema
  }

  /// Gives each record to `body`, its row prepared, until `body` returns false.
  /// Throws what `body` throws, and
  /// `SystemError` for the file.
  func read(
    preparing preparer: ImportLayouts, _ body: (ImportItem) throws -> Bool
  ) throws {
    self.preparer = DraftPreparer(preparer)
    let worker = Worker { self.produce() }
    defer {
      channel.close()
      worker.join()
    }
    while let items = channel.receive() {
      for index in items.indices {
        guard try body(items[index]) else { return }
      }
      _ = spent.send(items)
    }
    worker.join()
    if let failure { throw failure }
  }

  /// Makes the draft of a prepared record again.
  func reread(_ prepared: PreparedDraft) throws -> RecordDraft? {
    var draft = try prepared.source.withUnsafeBytes {
      try RecordReader().read($0, at: prepared.position)
    }
    try transform.apply(&draft)
    return draft
  }

  // MARK: The reading thread

  private func produce() {
    defer { channel.close() }
    do throws(SystemError) {
      switch format {
      case .jsonl: try produceLines()
      case .json, .wire: try produceElements()
      case .csv: try produceCells(separator: UInt8(ascii: ","))
      case .tsv: try produceCells(separator: UInt8(ascii: "\t"))
      case .propertyList: try producePropertyList()
      }
      _ = flush()
    } catch {
      failure = error
    }
  }

  private func flush() -> Bool {
    while spent.tryReceive() != nil {}
    defer {
      batch = []
      batchBytes = 0
    }
    return batch.isEmpty || channel.send(batch)
  }

  /// Takes an item; false when nobody wants more.
  private func take(_ item: ImportItem) -> Bool {
    batch.append(item)
    return batch.count < Self.batchSize && batchBytes < Self.batchByteLimit || flush()
  }

  private func take(_ message: String, at position: TextPosition) -> Bool {
    take(.fault(ImportFault(CloudError(.invalidArguments, message), at: position)))
  }

  private func take(
    _ draft: inout RecordDraft, source: UnsafeRawBufferPointer = .init(start: nil, count: 0)
  ) -> Bool {
    do throws(DraftFault) {
      try transform.apply(&draft)
    } catch {
      return take(error.message, at: error.position)
    }
    guard let prepared = preparer?.prepare(&draft, source: source) else { return false }
    return take(.draft(prepared))
  }

  private func produceLines() throws(SystemError) {
    let lines = LineReader(file)
    let reader = RecordReader()
    while let line = try lines.next() {
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
      let position = TextPosition(line: lines.lineNumber, column: 1)
      guard takeElement(line, position, reader) else { return }
    }
  }

  private func takeElement(
    _ bytes: UnsafeRawBufferPointer, _ position: TextPosition, _ reader: RecordReader
  ) -> Bool {
    batchBytes += bytes.count
    do throws(RecordReadingError) {
      var draft = try reader.read(bytes, at: position)
      return take(&draft, source: bytes)
    } catch {
      return take(error.message, at: error.position)
    }
  }

  /// A JSON array of records, or one record.
  private func produceElements() throws(SystemError) {
    let elements = JSONElementReader(file)
    let reader = RecordReader()
    while let element = try elements.next() {
      switch element {
      case .element(let bytes, let line, let column):
        let position = TextPosition(line: line, column: column)
        guard takeElement(bytes, position, reader) else { return }
      case .fault(let message, let line, let column):
        _ = take(message, at: TextPosition(line: line, column: column))
        return
      }
    }
  }

  private func produceCells(separator: UInt8) throws(SystemError) {
    let rows = SeparatedValuesReader(file, separator: separator)
    guard let header = try rows.next() else { return }
    let reader = CellRecordReader(header: header.cells.map { $0.text ?? "" }, schema: schema)
    while let row = try rows.next() {
      if let message = rows.fault {
        _ = take(message, at: TextPosition(line: row.line, column: 1))
        return
      }
      do throws(RecordReadingError) {
        var draft = try reader.read(row.cells, line: row.line)
        guard take(&draft) else { return }
      } catch {
        guard take(error.message, at: error.position) else { return }
      }
    }
  }

  private func producePropertyList() throws(SystemError) {
    let bytes = try FileSystem.contents(of: file)
    do throws(RecordReadingError) {
      for var draft in try PropertyListRecordReader.read(bytes) {
        guard take(&draft) else { return }
      }
    } catch {
      _ = take(error.message, at: error.position)
    }
  }
}
