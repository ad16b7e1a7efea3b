public import CloudModel
internal import SQLite
public import StoreFiles

/// The contents of a document that an edit derives from.
public struct DocumentOrigin: Sendable, Equatable {
  /// The version in iCloud that they derive from; nil for a document created on the device.
  public var base: Int64?
  /// Their hash.
  public var hash: String

  /// Names contents.
  public init(base: Int64?, hash: String) { (self.base, self.hash) = (base, hash) }
}

/// A document that an app has open on a device.
public struct OpenDocument: StoredRow, Sendable {
  package static let table = DocumentTables.open

  /// The row.
  public internal(set) var number: Int64 = 0
  let item: Int64
  /// The app's contents, saved or not.
  public var contents: DocumentContents
  /// The number of unsaved changes.
  public var changes: Int64 = 0
  /// Whether the last save failed.
  public var hasError = false
  /// The contents of the document that it derives from: those that were read or saved last.
  public var origin: DocumentOrigin

  /// Opens a document with contents.
  public init(_ item: DeviceItem, _ contents: DocumentContents) {
    (self.item, self.contents) = (item.number, contents)
    origin = DocumentOrigin(base: item.base, hash: contents.asset.sha256)
  }

  package init(_ row: Row) {
    (number, item) = (row.number, row["item"])
    contents = DocumentContents(required: row)
    (changes, hasError) = (row["changes"], row["hasError"])
    origin = DocumentOrigin(base: row["base"], hash: row["origin"])
  }

  package var values: KeyValuePairs<String, any StoredValue> {
    [
      "item": item, "hash": contents.asset.sha256, "size": contents.asset.size,
      "mode": contents.mode, "changes": changes, "hasError": hasError, "base": origin.base,
      "origin": origin.hash,
    ]
  }

  /// Whether there is something to save.
  public var hasUnsavedChanges: Bool { changes != 0 }
}

extension UbiquityStore {
  /// The open document of an app; nil if it is not open.
  public func openDocument(_ item: DeviceItem) throws(StoreError) -> OpenDocument? {
    try row("WHERE item = ?", [item.number])
  }

  /// Whether an open document of a device has unsaved changes.
  public func hasUnsavedDocuments(in replica: Replica) throws(StoreError) -> Bool {
    try openDocuments(in: replica).contains { $0.open.hasUnsavedChanges }
  }

  /// The open documents of a device.
  public func openDocuments(
    in replica: Replica
  ) throws(StoreError) -> [(item: DeviceItem, open: OpenDocument)] {
    let found: [OpenDocument] = try rows(
      "WHERE item IN (SELECT _id FROM _item WHERE replica = ?) ORDER BY _id",
      [replica.number])
    var documents: [(item: DeviceItem, open: OpenDocument)] = []
    for open in found {
      if let item = try item(open.item) { documents.append((item, open)) }
    }
    return documents
  }

  /// Opens a document.
  public func add(_ document: OpenDocument) throws(StoreError) { try insert(document) }

  /// Stores a changed document; `old` are its former contents.
  public func update(
    _ document: OpenDocument, lettingGoOf old: DocumentContents
  ) throws(StoreError) {
    if old != document.contents { release(old) }
    try change(document)
  }

  /// Closes a document.
  public func remove(_ document: OpenDocument) throws(StoreError) {
    release(document.contents)
    try delete(document)
  }
}
