/// Something that happened to a document on a device, as a file presenter or an open document
/// notices it (kvs-documents.md, B4).
public struct DocumentEvent: Sendable, Equatable {
  /// What happened.
  public enum Kind: String, Sendable, CaseIterable {
    /// A document arrived.
    case didAppear
    /// Its contents changed.
    case didChange
    /// It has another path; the detail is the old one.
    case didMove
    /// It was deleted on another device.
    case accommodateDeletion
    /// A version lost against another one, and waits for a decision; the detail names it.
    case didGainVersion
    /// A version is gone; the detail names it.
    case didLoseVersion
    /// Somebody has decided about a version; the detail names it.
    case didResolveConflictVersion
    /// It was deleted on one device and changed on another, and came back (D46).
    case resurrected
    /// An open document was read anew (`load(fromContents:ofType:)`).
    case loadFromContents
    /// A document was saved; the detail is the operation, 0 for creating and 1 for overwriting.
    case save
    /// iCloud did not take it; the detail says why.
    case uploadFailed
  }

  /// Its number; later ones have greater numbers.
  public let number: Int64
  /// What happened.
  public let kind: Kind
  /// The document.
  public let path: DocumentPath
  /// What more there is to say of it; nil for nothing.
  public let detail: String?
  /// The device that noticed.
  public let device: Device
  /// When it did.
  public let at: Timestamp

  /// Puts an event together.
  public init(
    number: Int64, kind: Kind, path: DocumentPath, detail: String?, device: Device, at: Timestamp
  ) {
    (self.number, self.kind, self.path) = (number, kind, path)
    (self.detail, self.device, self.at) = (detail, device, at)
  }
}

/// What a synchronization of documents did.
public struct DocumentSynchronization: Sendable, Equatable {
  /// Whether it took place: not offline, not signed out.
  public var isSynchronized = true
  /// How many changes iCloud took.
  public var sent = 0
  /// How many changes of other devices arrived.
  public var received = 0
  /// How many documents both sides had changed.
  public var conflicts = 0
  /// How many documents iCloud did not take.
  public var failed = 0
  /// How many bytes of contents went to iCloud.
  public var bytesUploaded: Int64 = 0
  /// How many bytes of contents came from there.
  public var bytesDownloaded: Int64 = 0

  /// One that did nothing.
  public init() {}

  /// One that could not take place.
  public static var unsynchronized: DocumentSynchronization {
    var result = DocumentSynchronization()
    result.isSynchronized = false
    return result
  }
}
