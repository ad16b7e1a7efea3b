internal import Basics

/// A document's path in a container, relative to its root: `Documents/notes/a.txt`.
public struct DocumentPath: Sendable, Hashable {
  /// The path as written.
  public let text: String

  /// Parses a path. Throws `invalidArguments` if it is empty, absolute, leads out of the container,
  /// or has a name that file systems refuse, and `nameTooLong`.
  public init(_ text: String) throws(CloudError) {
    func refuse(_ reason: String, isLength: Bool = false) -> CloudError {
      let message = "the path '\(text.visible)' \(reason)"
      return isLength
        ? CloudError(.nameTooLong, message) : CloudError(.invalidArguments, message)
    }
    // A slash and the character before it can be one Character.
    var bytes = text.utf8[...]
    while bytes.last == UInt8(ascii: "/"), bytes.count > 1 { bytes.removeLast() }
    let text = String(bytes) ?? text
    if text.isEmpty { throw CloudError(.invalidArguments, "the path is empty") }
    if text.utf8.first == UInt8(ascii: "/") {
      throw refuse("is absolute; paths are relative to the container's root")
    }
    if text.utf8.contains(0) { throw refuse("contains a NUL character") }
    guard text.utf8.count <= Self.mostBytes else {
      throw refuse("has more than \(Self.mostBytes) bytes", isLength: true)
    }
    for name in text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      let name = String(decoding: name, as: UTF8.self)
      if name.isEmpty || name == "." { throw refuse("contains an empty name or '.'") }
      if name == ".." { throw refuse("contains '..'") }
      guard name.utf8.count <= Self.mostNameBytes else {
        throw refuse(
          "has a name of more than \(Self.mostNameBytes) bytes", isLength: true)
      }
    }
    self.text = text
  }

  /// Creates a path that was checked when it was stored.
  public init(stored text: String) { self.text = text }

  private static let mostBytes = 4000
  private static let mostNameBytes = 255

  // MARK: Parts

  /// The last name.
  public var name: String {
    text.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(text[text.utf8.index(after: $0)...]) }
      ?? text
  }

  /// The folder that contains it, without a trailing slash; empty for the root.
  public var folder: String {
    text.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(text[..<$0]) } ?? ""
  }

  /// The path in a form common to all its spellings: names that differ only in case or
  /// normalization are the same (D44, D45).
  public var key: String { NameFolding.fold(text) }

  /// Whether it is below the folder with this `key`.
  public func isBelow(_ folderKey: String) -> Bool {
    key.utf8.starts(with: folderKey.utf8)
      && key.utf8.dropFirst(folderKey.utf8.count).first == UInt8(ascii: "/")
  }

  /// The part of a container that it is in.
  public var scope: DocumentScope { isBelow(DocumentScope.folderKey) ? .documents : .data }

  /// Whether it is local-only: a part of it has a name that iCloud does not upload.
  public var isLocal: Bool {
    text.utf8.split(separator: UInt8(ascii: "/")).contains { name in
      Self.isLocal(String(decoding: name, as: UTF8.self))
    }
  }

  /// Whether iCloud does not upload files and folders of a name: those with `.nosync` or `.weakpkg`
  /// (kvs-documents.md, B1), temporary ones, and those that systems and libraries keep.
  static func isLocal(_ name: String) -> Bool {
    let folded = NameFolding.fold(name)
    return folded.contains(".nosync") || folded.contains(".weakpkg")
      || localNames.contains(folded) || folded.hasSuffix(".photoslibrary") || isTemporary(name)
  }

  private static let localNames: Set = ["tmp", "desktop.ini", "$recycle.bin"]

  /// Whether a name is one that editors and systems give to temporary files.
  public static func isTemporary(_ name: String) -> Bool {
    let folded = NameFolding.fold(name)
    let isBackup = name.hasSuffix("~") || name.hasPrefix("~$") || name.hasPrefix(".#")
    let isLock = name.hasPrefix(".~lock.") || name.hasPrefix("#") && name.hasSuffix("#")
    let isHidden = name.hasPrefix(".")
    let isSwap = isHidden && [".swp", ".swo", ".swx", ".kate-swp"].contains(where: name.hasSuffix)
    let isDraft =
      isHidden && name.hasPrefix(".goutputstream-") || name.hasSuffix(".crswap")
      || name.hasSuffix("___jb_tmp___") || name.hasSuffix("___jb_old___") || isSafeSave(name)
      || name.hasPrefix("(A Document Being Saved")
    return isBackup || isLock || isSwap || isDraft || folded.hasSuffix(".tmp")
      || name == ".DS_Store" || name == "4913"
  }

  /// Whether a name is one of a safe save on macOS, such as `notes.txt.sb-1a2b3c4d-x9Yz0A`.
  private static func isSafeSave(_ name: String) -> Bool {
    guard let range = name.ranges(of: ".sb-").last else { return false }
    let parts = name[range.upperBound...].split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.utf8.count) == [8, 6]
      && parts[0].utf8.allSatisfy { $0.isDigitByte || ($0 >= 0x61 && $0 <= 0x66) }
      && parts[1].utf8.allSatisfy { $0.isDigitByte || $0.isLetterByte }
  }

  /// Whether a folder with this name is a package, by the types of its documents.
  public static func isPackage(_ name: String) -> Bool {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else {
      return false
    }
    return packageSuffixes.contains(NameFolding.fold(String(name[name.utf8.index(after: dot)...])))
  }

  private static let packageSuffixes: Set = [
    "app", "bundle", "docc", "framework", "key", "mlpackage", "numbers", "pages", "playground",
    "rtfd", "sparsebundle", "xcassets", "xcodeproj", "xcworkspace",
  ]

  /// The path with a number before the last suffix, for a second document of the same name: `abc
  /// 2.txt`, `abc 2`, `a.tar 2.gz` (D41).
  public func numbered(_ number: Int) -> DocumentPath {
    let name = name
    let dot = name.utf8.dropFirst().lastIndex(of: UInt8(ascii: "."))
    let (stem, suffix) = dot.map { (String(name[..<$0]), String(name[$0...])) } ?? (name, "")
    let room = folder.isEmpty ? Self.mostBytes : Self.mostBytes - folder.utf8.count - 1
    let numbered = Self.name(stem, " \(number)", suffix, of: min(Self.mostNameBytes, room))
    return DocumentPath(stored: folder.isEmpty ? numbered : "\(folder)/\(numbered)")
  }

  /// A name of at most `most` bytes: shortens the stem, then the suffix. Keeps the number whole,
  /// even if it does not fit, because two numbers must give two names.
  private static func name(
    _ stem: String, _ number: String, _ suffix: String, of most: Int
  ) -> String {
    var (stem, suffix) = (stem[...], suffix[...])
    while stem.utf8.count + number.utf8.count + suffix.utf8.count > most {
      if stem.unicodeScalars.count > 1 {
        stem.unicodeScalars.removeLast()
      } else if !suffix.isEmpty {
        suffix.unicodeScalars.removeLast()
      } else {
        break
      }
    }
    return stem + number + suffix
  }

  /// The path in the folder `new`, which replaces the folder `old`, whatever its spelling.
  public func moved(from old: String, to new: String) -> DocumentPath {
    let slash = UInt8(ascii: "/")
    var rest = text.utf8[...]
    for _ in old.utf8.split(separator: slash) {
      rest = rest.drop { $0 != slash }.dropFirst()
    }
    return DocumentPath(stored: "\(new)/" + (String(rest) ?? ""))
  }
}

/// The parts of a container.
public enum DocumentScope: String, Sendable, CaseIterable {
  /// The documents that users see.
  case documents
  /// The app's own data.
  case data

  /// The folder of `documents`.
  public static let folder = "Documents"
  static let folderKey = "documents"
}
