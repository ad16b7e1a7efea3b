internal import Basics
internal import CloudModel

/// The document attributes of metadata queries (`NSMetadataItem` keys, kvs-documents.md, B6). The
/// raw values are the keys; predicates may also use the constants' names.
enum DocumentAttribute: String, CaseIterable {
  case name = "kMDItemFSName"
  case displayName = "kMDItemDisplayName"
  case url = "kMDItemURL"
  case path = "kMDItemPath"
  case size = "kMDItemFSSize"
  case created = "kMDItemFSCreationDate"
  case changed = "kMDItemFSContentChangeDate"
  case contentType = "kMDItemContentType"
  case contentTypeTree = "kMDItemContentTypeTree"
  case isUbiquitous = "NSMetadataItemIsUbiquitousKey"
  case hasConflicts = "NSMetadataUbiquitousItemHasUnresolvedConflictsKey"
  case downloadingStatus = "NSMetadataUbiquitousItemDownloadingStatusKey"
  case isDownloading = "NSMetadataUbiquitousItemIsDownloadingKey"
  case isUploaded = "NSMetadataUbiquitousItemIsUploadedKey"
  case isUploading = "NSMetadataUbiquitousItemIsUploadingKey"
  case percentDownloaded = "NSMetadataUbiquitousItemPercentDownloadedKey"
  case percentUploaded = "NSMetadataUbiquitousItemPercentUploadedKey"
  case downloadingError = "NSMetadataUbiquitousItemDownloadingErrorKey"
  case uploadingError = "NSMetadataUbiquitousItemUploadingErrorKey"
  case isDownloadRequested = "NSMetadataUbiquitousItemDownloadRequestedKey"
  case isExternal = "NSMetadataUbiquitousItemIsExternalDocumentKey"
  case container = "NSMetadataUbiquitousItemContainerDisplayNameKey"
  case urlInContainer = "NSMetadataUbiquitousItemURLInLocalContainerKey"

  /// The names that predicates may use.
  var names: [String] {
    let prefix = "kMDItem"
    guard rawValue.hasPrefix(prefix) else { return [rawValue] }
    return [rawValue, "NSMetadataItem\(rawValue.dropFirst(prefix.count))Key"]
  }

  /// Returns the attribute with a name; nil for an unknown name.
  static func named(_ name: String) -> DocumentAttribute? {
    allCases.first { $0.names.contains(name) }
  }

  /// The type of its values.
  var type: FieldType {
    switch self {
    case .name, .displayName, .url, .path, .contentType, .downloadingStatus, .downloadingError,
      .uploadingError, .container, .urlInContainer:
      FieldType(.string)
    case .contentTypeTree: FieldType(.string, isList: true)
    case .created, .changed: FieldType(.timestamp)
    case .percentDownloaded, .percentUploaded: FieldType(.double)
    case .size, .isUbiquitous, .hasConflicts, .isDownloading, .isUploaded, .isUploading,
      .isDownloadRequested, .isExternal:
      FieldType(.int64)
    }
  }

  /// Whether its value depends only on the path.
  var isAboutPath: Bool { isAboutName || [.url, .path, .urlInContainer].contains(self) }

  /// Whether its value is a part of the path within the container.
  var isAboutName: Bool { self == .name || self == .displayName }

  /// Its value for a document's path in a container whose folder is `folder`; nil if it depends on
  /// more than the path.
  func value(of path: DocumentPath, in folder: String) -> FieldValue? {
    switch self {
    case .name: .string(path.name)
    case .displayName: .string(Self.stem(of: path.name))
    case .path: .string("\(folder)/\(path.text)")
    case .url, .urlInContainer: .string(Self.url("\(folder)/\(path.text)"))
    case .size, .created, .changed, .contentType, .contentTypeTree, .isUbiquitous, .hasConflicts,
      .downloadingStatus, .isDownloading, .isUploaded, .isUploading, .percentDownloaded,
      .percentUploaded, .downloadingError, .uploadingError, .isDownloadRequested, .isExternal,
      .container:
      nil
    }
  }

  /// Its value for a document; nil if the document has none.
  func value(of item: DocumentItem, in folder: String, of container: ContainerID) -> FieldValue? {
    switch self {
    case .name, .displayName, .path, .url, .urlInContainer: value(of: item.path, in: folder)
    case .size: .int64(item.size)
    case .created: .timestamp(item.created)
    case .changed: .timestamp(item.changed)
    case .contentType: .string(ContentType.of(item).first ?? "")
    case .contentTypeTree: .list(ContentType.of(item).map { .string($0) })
    case .isUbiquitous: .int64(item.isLocal ? 0 : 1)
    case .hasConflicts: .int64(item.hasConflicts ? 1 : 0)
    case .downloadingStatus: .string(item.downloading.rawValue)
    case .isDownloading: .int64(item.isDownloading ? 1 : 0)
    case .isUploaded: .int64(item.isUploaded ? 1 : 0)
    case .isUploading: .int64(item.isUploading ? 1 : 0)
    case .percentDownloaded: .double(item.percentDownloaded)
    case .percentUploaded: .double(item.percentUploaded)
    case .downloadingError: nil
    case .uploadingError: item.uploadingError.map { .string($0) }
    case .isDownloadRequested: .int64(item.isDownloadRequested ? 1 : 0)
    case .isExternal: .int64(0)
    case .container: .string(container.text)
    }
  }

  /// The file URL of a path, which begins at the root.
  private static func url(_ path: String) -> String {
    var url = path.hasPrefix("/") ? "file://" : "file:///"
    let plain = Set("/-._~!$&'()*+,;=:@".utf8)
    for byte in path.utf8 {
      if byte.isLetterByte || byte.isDigitByte || plain.contains(byte) {
        url.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        url += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return url
  }

  private static func stem(of name: String) -> String {
    name.utf8.dropFirst().lastIndex(of: UInt8(ascii: ".")).map { String(name[..<$0]) } ?? name
  }
}

/// Uniform type identifiers for common file name extensions.
enum ContentType {
  /// The type of a document, followed by the types that it conforms to.
  static func of(_ item: DocumentItem) -> [String] {
    let name = item.path.name
    let suffix = name.utf8.lastIndex(of: UInt8(ascii: ".")).map {
      NameFolding.fold(String(name[name.utf8.index(after: $0)...]))
    }
    let own = suffix.flatMap { known[$0] } ?? []
    return own
      + (item.isPackage ? ["com.apple.package", "public.item"] : ["public.data", "public.item"])
  }

  private static let known: [String: [String]] = [
    "txt": ["public.plain-text", "public.text"], "text": ["public.plain-text", "public.text"],
    "md": ["net.daringfireball.markdown", "public.text"],
    "csv": ["public.comma-separated-values-text", "public.text"],
    "json": ["public.json", "public.text"], "xml": ["public.xml", "public.text"],
    "html": ["public.html", "public.text"], "rtf": ["public.rtf", "public.text"],
    "rtfd": ["com.apple.rtfd"], "pdf": ["com.adobe.pdf", "public.composite-content"],
    "swift": ["public.swift-source", "public.source-code", "public.text"],
    "png": ["public.png", "public.image"], "jpg": ["public.jpeg", "public.image"],
    "jpeg": ["public.jpeg", "public.image"], "gif": ["com.compuserve.gif", "public.image"],
    "heic": ["public.heic", "public.image"], "svg": ["public.svg-image", "public.image"],
    "mp3": ["public.mp3", "public.audio"], "m4a": ["public.mpeg-4-audio", "public.audio"],
    "mov": ["com.apple.quicktime-movie", "public.movie"], "mp4": ["public.mpeg-4", "public.movie"],
    "zip": ["public.zip-archive", "public.archive"],
    "plist": ["com.apple.property-list"], "sqlite": ["public.database"],
  ]
}
