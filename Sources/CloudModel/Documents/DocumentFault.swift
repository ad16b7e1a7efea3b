internal import Basics

/// The faults of document operations. The names are our own: iCloud's API has no names for most of
/// them.
public enum DocumentFault: String, Sendable, CaseIterable {
  /// No account is signed in, so there is no container.
  case iCloudUnavailable
  /// The contents are not on the device, and cannot be downloaded now.
  case notDownloaded
  /// iCloud does not have the contents yet.
  case notUploadedYet
  /// There is a document at the path already.
  case conflictExists
  /// No version has the given identifier.
  case noSuchVersion
  /// A name or a path is too long for file systems.
  case nameTooLong

  var code: CloudError.Code {
    switch self {
    case .iCloudUnavailable: .notAuthenticated
    case .notDownloaded: .networkUnavailable
    case .notUploadedYet, .nameTooLong: .invalidArguments
    case .conflictExists: .serverRecordChanged
    case .noSuchVersion: .unknownItem
    }
  }
}

extension CloudError {
  /// Creates an error about a document.
  public init(_ fault: DocumentFault, _ message: String, remedy: Remedy? = nil) {
    self.init(fault.code, message, remedy: remedy)
    document = fault
  }

  /// The error for a missing document.
  public static func noDocument(_ path: DocumentPath) -> CloudError {
    CloudError(.unknownItem, "there is no document '\(path.text.visible)'")
  }
}
