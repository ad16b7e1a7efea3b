/// A document as the app on a device sees it: what a metadata query finds of it (kvs-documents.md,
/// B6).
public struct DocumentItem: Sendable, Equatable {
  /// Which document it is, whatever its path; only on this device.
  public var number: Int64
  /// Where it is.
  public var path: DocumentPath
  /// How many bytes it has.
  public var size: Int64
  /// When its contents were last changed, by the clock of the device that did.
  public var changed: Timestamp
  /// When it was made.
  public var created: Timestamp
  /// The device that changed it last.
  public var device: Device
  /// Whether it is a package.
  public var isPackage: Bool
  /// What of it is on the device.
  public var downloading: DownloadingStatus
  /// Whether somebody has asked for its contents on the device.
  public var isDownloadRequested: Bool
  /// Whether the device waits for contents that another one has not sent yet.
  public var isDownloading: Bool
  /// Whether iCloud has the contents that the device has.
  public var isUploaded: Bool
  /// Whether iCloud knows of it, but does not have its contents yet.
  public var isUploading: Bool
  /// Why iCloud does not have it; nil for nothing.
  public var uploadingError: String?
  /// Whether it has versions that somebody has to decide about.
  public var hasConflicts: Bool
  /// Whether it stays on the device.
  public var isLocal: Bool { path.isLocal }

  /// Describes a document.
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

  /// How much of it is on the device, in percent.
  public var percentDownloaded: Double { downloading == .current ? 100 : 0 }
  /// How much of it is in iCloud, in percent.
  public var percentUploaded: Double { isUploaded ? 100 : 0 }
}

/// What of a document is on a device (`NSURLUbiquitousItemDownloadingStatusKey`).
public enum DownloadingStatus: String, Sendable, CaseIterable {
  /// Only what is known of it.
  case notDownloaded
  /// Contents that are not the newest.
  case downloaded
  /// The newest contents that the device knows of.
  case current
}

/// A version of a document next to the current one, or that one (`NSFileVersion`).
public struct DocumentVersion: Sendable {
  /// Its identifier.
  public let identifier: String
  /// Whether it is the current one.
  public let isCurrent: Bool
  /// Whether it lost against another one.
  public let isConflict: Bool
  /// Whether somebody has decided about it.
  public let isResolved: Bool
  /// Whether its contents are on the device.
  public let hasLocalContents: Bool
  /// The device that saved it.
  public let device: Device
  /// When, by the clock of that device.
  public let changed: Timestamp
  /// How many bytes it has.
  public let size: Int64

  /// Describes a version.
  public init(
    identifier: String, isCurrent: Bool, isConflict: Bool, isResolved: Bool,
    hasLocalContents: Bool, device: Device, changed: Timestamp, size: Int64
  ) {
    (self.identifier, self.isCurrent, self.isConflict) = (identifier, isCurrent, isConflict)
    (self.isResolved, self.hasLocalContents) = (isResolved, hasLocalContents)
    (self.device, self.changed, self.size) = (device, changed, size)
  }
}
