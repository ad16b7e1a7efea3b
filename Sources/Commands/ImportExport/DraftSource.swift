internal import Basics
internal import CloudModel
internal import CloudServices
internal import WireFormat

/// Reads the records of a file in a thread of its own, so that the writer never waits for text
/// to be parsed; at most a few batches are in memory.
final class DraftSource: @unchecked Sendable {
  private let file: FileHandle
  private let format: TextFormat
  private let transform: DraftTransform
  private let schemas: [RecordTypeSchema]
  private let type: RecordType?
  private let channel = Channel<ImportBatch>(capacity: 4)
  /// Processed batches return here and are reused.
  private let spent = Channel<ImportBatch>(capacity: 8)
  private var preparer: DraftPreparer?
  private var batch = ImportBatch()
  private var failure: SystemError?
  private var uses = OptionUses()
  /// Waking the other thread costs tens of microseconds, so batches are large.
  private static let batchSize = 1024
  private static let batchByteLimit = 1 << 20

  init(
    _ file: FileHandle, _ format: TextFormat, _ transform: DraftTransform,
    schemas: [RecordTypeSchema], type: RecordType?
  ) {
    self.file = file
    self.format = format
    self.transform = transform
    self.schemas = schemas
    self.type = type
  }

  /// Passes each record with its batch to `body` until that returns false. Rows are prepared by the
  /// given layouts. Throws what `body` throws, and `SystemError` for the file.
  func read(
    preparing layouts: ImportLayouts, _ body: (ImportBatch.Item, ImportBatch) throws -> Bool
  ) throws {
    preparer = DraftPreparer(layouts)
    let worker = try Worker { self.produce() }
    do {
      defer {
        channel.close()
        worker.join()
      }
      while let batch = channel.receive() {
        for index in batch.items.indices {
          guard try body(batch.items[index], batch) else { return }
        }
        _ = spent.send(batch)
      }
    }
    // The other thread's failure must be read only after the thread has ended.
    if let failure { throw failure }
  }

  /// The first records of the file, or their faults, at most `limit`. Throws `SystemError` for the
  /// file.
  func drafts(atMost limit: Int) throws -> [Result<RecordDraft, ImportFault>] {
    var drafts: [Result<RecordDraft, ImportFault>] = []
    try read(preparing: ImportLayouts(defaultType: nil)) { item, batch in
      do {
        drafts.append(.success(try batch.draft(of: item, reread)))
      } catch let fault as ImportFault {
        drafts.append(.failure(fault))
      }
      return drafts.count < limit
    }
    return drafts
  }

  /// Parses a record's text into a draft again.
  func reread(_ text: UnsafeRawBufferPointer, _ position: TextPosition) throws -> RecordDraft {
    var reader = RecordReader()
    var draft = try reader.read(text, at: position)
    var uses = OptionUses()
    try transform.apply(&draft, noting: &uses)
    return draft
  }

  /// Throws `invalidArguments` for options that applied to no record, once all have been read.
  /// Returns the fields of `--drop` that no record has.
  func requireOptionsUsed() throws(CloudError) -> [String] { try transform.requireUses(uses) }

  // MARK: The reading thread

  private func produce() {
    defer { channel.close() }
    let file = RecordFileReader(file, format)
    var reader = RecordReader(schemas: schemas, defaultType: type)
    do throws(SystemError) {
      while let item = try file.next() {
        guard take(item, &reader) else { return }
      }
      _ = flush()
    } catch {
      failure = error
    }
  }

  private func flush() -> Bool {
    if batch.items.isEmpty { return true }
    guard channel.send(batch) else { return false }
    batch = spent.tryReceive() ?? ImportBatch()
    batch.removeAll()
    return true
  }

  /// Sends a full batch; returns false if the other side has closed the channel.
  private func flushIfFull() -> Bool {
    batch.items.count < Self.batchSize && batch.textSize < Self.batchByteLimit || flush()
  }

  private func take(
    _ message: String, at position: TextPosition, isSyntax: Bool = false, name: String? = nil,
    zone: String? = nil, remedy: Remedy? = nil
  ) -> Bool {
    var fault = ImportFault(
      CloudError(.invalidArguments, message, remedy: remedy), at: position, isSyntax: isSyntax)
    fault.name = name
    fault.zone = zone
    batch.append(.fault(fault))
    return flushIfFull()
  }

  private func take(_ item: RecordFileReader.Item, _ reader: inout RecordReader) -> Bool {
    do throws(RecordReadingError) {
      let draft = try reader.draft(of: item)
      guard case .json(let text, _) = item else { return take(draft) }
      return take(draft, text: text)
    } catch {
      return take(
        error.message, at: error.position, isSyntax: error.isSyntax, name: error.name,
        zone: error.zone)
    }
  }

  private func take(
    _ draft: consuming RecordDraft,
    text: UnsafeRawBufferPointer = .init(start: nil, count: 0)
  ) -> Bool {
    do throws(DraftFault) {
      try transform.apply(&draft, noting: &uses)
    } catch {
      return take(
        error.message, at: error.position, name: draft.name, zone: draft.zone,
        remedy: error.remedy)
    }
    preparer?.add(&draft, text: text, to: &batch)
    return flushIfFull()
  }
}
