internal import Basics
internal import CloudModel
@_exported public import Foundation

/// A file as a field's value.
public final class CKAsset: NSObject, NSSecureCoding, NSCopying, Sendable {
  /// The file: the app's own until the asset is fetched; a copy of the contents afterwards, which
  /// stays until the process ends. Nil if the contents could not be fetched.
  public let fileURL: URL?
  /// The contents in the store; nil for a file that is not saved yet.
  private let known: Locked<Asset?>
  /// What keeps the copy of the contents.
  private let cache: AssetCache?

  /// Creates an asset of a file. Its contents are read when its record is saved; a file that is
  /// moved or deleted before fails the save with `assetFileNotFound`.
  public convenience init(fileURL: URL) {
    precondition(fileURL.isFileURL, "Non-file URL")
    self.init(fileURL, known: nil)
  }

  init(_ fileURL: URL?, known: Asset?, in cache: AssetCache? = nil) {
    (self.fileURL, self.cache) = (fileURL, cache)
    self.known = Locked(known)
  }

  /// Whether the file is a copy of contents in a store, and not the app's own.
  var isFetched: Bool { cache != nil }

  /// The contents in the store; nil for a file that is not saved yet.
  var stored: Asset? { known.withLock { $0 } }

  /// Notes that the store has the contents.
  func note(_ asset: Asset) { known.withLock { $0 = asset } }

  // MARK: Copying and archiving

  /// Returns the asset itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Assets can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  private enum Key {
    static let fileURL = "AssetFileURL"
    static let size = "AssetSize"
    static let hasSize = "AssetHasSize"
    static let signature = "AssetSignature"
    static let uuid = "AssetUUID"
  }

  /// Writes the asset to a keyed archive, without its contents.
  public func encode(with coder: NSCoder) {
    coder.encode(fileURL.map { $0 as NSURL }, forKey: Key.fileURL)
    let stored = stored
    coder.encode(stored != nil, forKey: Key.hasSize)
    coder.encode(Int(stored?.size ?? 0), forKey: Key.size)
    coder.encode(stored.map { Data($0.sha256.utf8) as NSData }, forKey: Key.signature)
    coder.encode(UUID().uuidString as NSString, forKey: Key.uuid)
  }

  /// Reads an asset from a keyed archive.
  public convenience init?(coder: NSCoder) {
    let url = coder.object(of: NSURL.self, forKey: Key.fileURL)
    let signature = coder.data(forKey: Key.signature).map { String(decoding: $0, as: UTF8.self) }
    let size = coder.integer(forKey: Key.size) ?? 0
    self.init(
      url.flatMap { $0.absoluteString }.flatMap { URL(string: $0) },
      known: signature.flatMap { Asset(sha256: $0, size: Int64(size)) })
  }

  // MARK: Comparing

  /// Whether it is the same file.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKAsset else { return false }
    return self === other || fileURL != nil && fileURL == other.fileURL
  }

  public override var hash: Int { fileURL.hashValue }

  /// `<CKAsset: 0x7f…; path=/tmp/a.jpg, size=12>`.
  public override var description: String {
    let size = stored.map { ", size=\($0.size)" } ?? ""
    return "<CKAsset: \(address(of: self)); path=\(fileURL?.path ?? "nil")\(size)>"
  }
}
