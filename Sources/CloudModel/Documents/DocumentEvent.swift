/// An event of a document on a device, as a file presenter or an open document sees it
/// (kvs-documents.md, B4).
public struct DocumentEvent: Sendable, Equatable {
  /// The kind of event.
  public enum Kind: String, Sendable, CaseIterable {
    /// A document arrived.
    case didAppear
    /// Its contents changed.
    case didChange
    /// It moved; the detail is the old path.
    case didMove
    /// It was deleted on another device.
    case accommodateDeletion
    /// A version lost to another and is now in conflict; the detail is its identifier.
    case didGainVersion
    /// A version is gone; the detail is its identifier.
    case didLoseVersion
    /// A version's conflict was resolved; the detail is its identifier.
    case didResolveConflictVersion
    /// It was deleted on one device and changed on another, and reappeared (D46).
    case resurrected
    /// An open document was reloaded (`load(fromContents:ofType:)`).
    case loadFromContents
    /// A document was saved; the detail is the operation, 0 for creating and 1 for overwriting.
    case save
    /// iCloud refused it; the detail is the reason.
    case uploadFailed
  }

  /// Its number, which increases.
  public let number: Int64
  /// The kind of event.
  public let kind: Kind
  /// The document.
  public let path: DocumentPath
  /// More about the event; nil for nothing.
  public let detail: String?
  /// The device that saw the event.
  public let device: Device
  /// When it saw the event.
  public let at: Timestamp

  /// Creates an event.
  public init(
    number: Int64, kind: Kind, path: DocumentPath, detail: String?, device: Device, at: Timestamp
  ) {
    (self.number, self.kind, self.path) = (number, kind, path)
    (self.detail, self.device, self.at) = (detail, device, at)
  }
}

/// The result of a synchronization of documents.
public struct DocumentSynchronization: Sendable, Equatable {
  /// Whether it took place: the device was online and signed in.
  public var isSynchronized = true
  /// How many changes iCloud accepted.
  public var sent = 0
  /// How many changes of other devices arrived.
  public var received = 0
  /// How many documents both sides had changed.
  public var conflicts = 0
  /// How many documents iCloud refused.
  public var failed = 0
  /// How many bytes of contents were uploaded.
  public var bytesUploaded: Int64 = 0
  /// How many bytes of contents were downloaded.
  public var bytesDownloaded: Int64 = 0

  /// A synchronization that did nothing.
  public init() {}

  /// The result for a device that cannot synchronize.
  public static var unsynchronized: DocumentSynchronization {
    var result = DocumentSynchronization()
    result.isSynchronized = false
    return result
  }
}
