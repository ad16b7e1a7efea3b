/// A document as the app on a device sees it: the result of a metadata query (kvs-documents.md,
/// B6).
public struct DocumentItem: Sendable, Equatable {
  /// The document's number, which does not depend on its path; valid only on this device.
  public var number: Int64
  /// Its path.
  public var path: DocumentPath
  /// Its size in bytes.
  public var size: Int64
  /// When its contents were last changed, by the clock of that device.
  public var changed: Timestamp
  /// When it was created.
  public var created: Timestamp
  /// The device that changed it last.
  public var device: Device
  /// Whether it is a package.
  public var isPackage: Bool
  /// How much of it is on the device.
  public var downloading: DownloadingStatus
  /// Whether its contents were requested on the device.
  public var isDownloadRequested: Bool
  /// Whether the device waits for contents that another device has not sent yet.
  public var isDownloading: Bool
  /// Whether iCloud has the device's contents.
  public var isUploaded: Bool
  /// Whether iCloud knows of it, but does not have its contents yet.
  public var isUploading: Bool
  /// Why iCloud does not have it; nil for no error.
  public var uploadingError: String?
  /// Whether it has unresolved conflict versions.
  public var hasConflicts: Bool
  /// Whether it is local-only.
  public var isLocal: Bool { path.isLocal }

  /// Creates a document.
  public init(
    number: Int64, path: DocumentPath, size: Int64, changed: Timestamp, created: Timestamp,
    device: Device, isPackage: Bool, downloading: DownloadingStatus, isDownloadRequested: Bool,
    isDownloading: Bool, isUploaded: Bool, isUploading: Bool, uploadingError: String?,
    hasConflicts: Bool
  ) {
    self.number = number
    (self.path, self.size, self.changed, self.created) = (path, size, changed, created)
    (self.device, self.isPackage, self.downloading) = (device, isPackage, downloading)
    (self.isDownloadRequested, self.isDownloading) = (isDownloadRequested, isDownloading)
    (self.isUploaded, self.isUploading) = (isUploaded, isUploading)
    (self.uploadingError, self.hasConflicts) = (uploadingError, hasConflicts)
  }

  /// The downloaded part, in percent.
  public var percentDownloaded: Double { downloading == .current ? 100 : 0 }
  /// The uploaded part, in percent.
  public var percentUploaded: Double { isUploaded ? 100 : 0 }
}

/// How much of a document is on a device (`NSURLUbiquitousItemDownloadingStatusKey`).
public enum DownloadingStatus: String, Sendable, CaseIterable {
  /// Only metadata.
  case notDownloaded
  /// Contents that are not the newest.
  case downloaded
  /// The newest contents that the device knows of.
  case current
}

/// The current version of a document, or another one (`NSFileVersion`).
public struct DocumentVersion: Sendable {
  /// Its identifier.
  public let identifier: String
  /// Whether it is the current one.
  public let isCurrent: Bool
  /// Whether it lost to another version.
  public let isConflict: Bool
  /// Whether its conflict was resolved.
  public let isResolved: Bool
  /// Whether its contents are on the device.
  public let hasLocalContents: Bool
  /// The device that saved it.
  public let device: Device
  /// When it was saved, by that device's clock.
  public let changed: Timestamp
  /// Its size in bytes.
  public let size: Int64

  /// Creates a version.
  public init(
    identifier: String, isCurrent: Bool, isConflict: Bool, isResolved: Bool,
    hasLocalContents: Bool, device: Device, changed: Timestamp, size: Int64
  ) {
    (self.identifier, self.isCurrent, self.isConflict) = (identifier, isCurrent, isConflict)
    (self.isResolved, self.hasLocalContents) = (isResolved, hasLocalContents)
    (self.device, self.changed, self.size) = (device, changed, size)
  }
}
