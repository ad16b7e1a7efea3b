/// The contents of a document: the bytes of a file, or the members of a package.
public struct DocumentContents: Sendable, Hashable {
  /// The hash of the bytes, or of the list of members, and the total size.
  public var asset: Asset
  /// Whether it is a package: a folder that counts as one document.
  public var isPackage = false
  /// Whether it is executable.
  public var isExecutable = false

  /// Creates contents.
  public init(_ asset: Asset, isPackage: Bool = false, isExecutable: Bool = false) {
    (self.asset, self.isPackage, self.isExecutable) = (asset, isPackage, isExecutable)
  }
}

/// A file of a package.
public struct PackageMember: Sendable, Hashable {
  /// Its path in the package.
  public let path: String
  /// Its bytes.
  public let asset: Asset
  /// Whether it is executable.
  public let isExecutable: Bool

  /// Creates a member.
  public init(_ path: String, _ asset: Asset, isExecutable: Bool = false) {
    (self.path, self.asset, self.isExecutable) = (path, asset, isExecutable)
  }
}
