/// A record, or the deletion of one, in an answer of Web Services.
public struct RemoteRecord: Sendable {
  /// Its name, type, parent and values, without its assets. The change tag is that of the server.
  public var draft: RecordDraft
  /// When and by whom it was created.
  public var created: Record.Stamp?
  /// When and by whom it was last saved.
  public var modified: Record.Stamp?
  /// Its assets.
  public var assets: [AssetField] = []

  /// Creates a record.
  public init(_ draft: RecordDraft) { self.draft = draft }

  /// An ASSET or LIST<ASSET> field.
  public struct AssetField: Sendable {
    /// The field's name.
    public var name: FieldName
    /// Whether it is a list.
    public var isList: Bool
    /// The files.
    public var files: [RemoteFile]

    /// Creates a field.
    public init(_ name: FieldName, isList: Bool, _ files: [RemoteFile]) {
      (self.name, self.isList, self.files) = (name, isList, files)
    }
  }
}

/// The contents of an asset on another server.
public struct RemoteFile: Sendable, Hashable {
  /// The server's name of the contents; not a digest (web-services.md, §4).
  public var checksum: String
  /// The number of bytes.
  public var size: Int64
  /// Where it can be downloaded; nil if the answer does not say.
  public var url: String?

  /// Creates a file.
  public init(checksum: String, size: Int64, url: String?) {
    (self.checksum, self.size, self.url) = (checksum, size, url)
  }
}
