internal import Basics
internal import CloudModel
internal import UbiquityStore

/// A file in a mount that shows a document whose contents are not on the device: `.NAME.icloud`, as
/// on older systems of Apple's (kvs-documents.md, B2).
struct MountPlaceholder {
  private let item: DeviceItem

  /// Whether a name is that of a placeholder.
  static func isOne(_ name: String) -> Bool {
    name.hasPrefix(".") && name.hasSuffix(suffix) && name.utf8.count > suffix.utf8.count + 1
  }

  private static let suffix = ".icloud"
  private static let beginning = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0">
    <dict>
      <key>NSURLFileResourceTypeKey</key>

    """

  /// Whether a file is a placeholder that a mount wrote, by its name and contents: a file of the
  /// user may have such a name, too.
  static func isOne(_ entry: FolderTree.Entry) -> Bool {
    guard entry.isRegular, isOne(DocumentPath(stored: entry.path).name),
      let bytes = try? FileSystem.contents(of: entry.open(), atMostMegabytes: 1)
    else { return false }
    return bytes.starts(with: beginning.utf8)
  }

  init(for item: DeviceItem) { self.item = item }

  /// Its path in the mount.
  var path: String {
    let name = ".\(item.path.name)\(Self.suffix)"
    return item.path.folder.isEmpty ? name : "\(item.path.folder)/\(name)"
  }

  /// A property list with the name and size of the document.
  var contents: [UInt8] {
    let text =
      Self.beginning + """
          <string>NSURLFileResourceType\(item.isPackage ? "Directory" : "Regular")</string>
          <key>NSURLFileSizeKey</key>
          <integer>\(item.size)</integer>
          <key>NSURLNameKey</key>
          <string>\(item.path.name.asMarkup)</string>
        </dict>
        </plist>

        """
    return Array(text.utf8)
  }
}

extension MountFolder {
  private static let mark = "\(name)/placeholders"

  /// Whether placeholders may exist.
  var hasPlaceholders: Bool { FileSystem.exists("\(tree.path)/\(Self.mark)") }

  /// Creates the placeholders of items, and removes all others. A file in the place of one stays.
  func show(_ items: [DeviceItem]) throws {
    if !hasPlaceholders { try FileSystem.replace("\(tree.path)/\(Self.mark)", with: []) }
    var wanted: [String: MountPlaceholder] = [:]
    for item in items {
      let placeholder = MountPlaceholder(for: item)
      wanted[placeholder.path] = placeholder
    }
    var stale: [String] = []
    try tree.walk { entry in
      if Self.isOwn(entry.path) { return false }
      if MountPlaceholder.isOne(entry), wanted.removeValue(forKey: entry.path) == nil {
        stale.append(entry.path)
      }
      return entry.isFolder
    } failed: { _, _ in
    }
    for path in stale { try tree.remove(path) }
    for (path, placeholder) in wanted.sorted(by: { utf8Precedes($0.key, $1.key) }) {
      let draft = newDraft()
      try FileHandle(create: "\(tree.path)/\(draft)").writeAll(placeholder.contents)
      guard try tree.move(draft, to: path) else { try tree.remove(draft); continue }
    }
    if items.isEmpty { try tree.remove(Self.mark) }
  }
}
