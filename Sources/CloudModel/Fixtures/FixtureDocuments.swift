internal import Basics

/// The documents of an account in a fixture: those in iCloud, or those on a device.
public struct FixtureDocuments: FixtureEntry {
  /// Their owner, and where they are.
  public var place: FixturePlace
  /// The documents, in byte order of their paths.
  public var documents: [FixtureDocument]

  /// Creates the documents.
  public init(_ place: FixturePlace, _ documents: [FixtureDocument]) {
    (self.place, self.documents) = (place, documents)
  }

  /// What errors call it.
  public var label: String { "entry '\(place.text)' of 'documents'" }

  /// What a comparison prints.
  public var attributes: FixtureAttributes {
    FixtureAttributes(
      ofApp: place, "documents",
      documents.map { document in
        let size = document.members.reduce(0) { $0 + ($1.asset?.size ?? 0) }
        let hashes = document.members.map { member in
          let hash = member.asset.map { String($0.sha256.prefix(12)) } ?? "?"
          return member.path.isEmpty ? hash : "\(member.path) \(hash)"
        }
        return (document.path.text, "\(size.counted("byte")), \(hashes.separated(by: ", "))")
      })
  }
}

/// A document of a fixture.
public struct FixtureDocument: Sendable, Equatable {
  /// Its path.
  public var path: DocumentPath
  /// Whether it is a package.
  public var isPackage: Bool
  /// The files of a package in byte order of their paths in it, or one file with an empty path.
  public var members: [Member]

  /// A file of a document.
  public struct Member: Sendable, Equatable {
    /// Its path in the package; empty for a single-file document.
    public var path: String
    /// The source of its bytes; nil for a store's document.
    public var source: AssetSource?
    /// Its bytes, if known.
    public var asset: Asset?

    /// Creates a file.
    public init(_ path: String, source: AssetSource?, asset: Asset? = nil) {
      (self.path, self.source, self.asset) = (path, source, asset)
    }
  }

  /// Creates a document.
  public init(_ path: DocumentPath, isPackage: Bool, _ members: [Member]) {
    (self.path, self.isPackage, self.members) = (path, isPackage, members)
  }
}
