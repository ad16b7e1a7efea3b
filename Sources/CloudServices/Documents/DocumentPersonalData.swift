internal import Basics
public import CloudModel
internal import StoreFiles
internal import UbiquityStore

// A person's documents in the containers, for export and deletion (M8).
extension CloudStore {
  /// A document of a person: in iCloud, or on a device that has not sent it yet.
  public struct PersonalDocument: Sendable {
    /// Its path.
    public let path: DocumentPath
    /// The device; nil for iCloud.
    public let device: Device?
    /// The state of the contents: `current`, `conflict`, `kept`, `deleted` or `unsent`.
    public let state: String
    /// When they were saved.
    public let changed: Timestamp
    /// The files: one, or a package's files with their paths in it.
    public let files: [PackageMember]
  }

  /// The documents of an account in a container, with all their versions, including deleted ones
  /// that can be restored.
  public func documentData(
    of account: Account, in id: ContainerID, for request: Request
  ) throws(CloudError) -> [PersonalDocument] {
    try require(id)
    return try DeviceApp(id, of: self, for: request, nil).reading { store in
      var found: [PersonalDocument] = []
      for document in try store.documents(of: account, after: -1) {
        for version in try store.versions(of: document) {
          guard let contents = version.contents else { continue }
          let state =
            document.deleted != nil
            ? "deleted" : !version.isConflict ? "current" : version.isResolved ? "kept" : "conflict"
          found.append(
            PersonalDocument(
              path: document.path, device: nil, state: state, changed: version.at,
              files: try store.files(of: contents)))
        }
      }
      for replica in try store.replicas(of: account) {
        for item in try store.items(of: replica) {
          guard let contents = item.contents,
            item.document == nil || item.changes.contains(.contents)
          else { continue }
          found.append(
            PersonalDocument(
              path: item.path, device: replica.device,
              state: item.isDeletedHere ? "deleted" : "unsent", changed: item.at,
              files: try store.files(of: contents)))
        }
      }
      // Sorting keeps the order of the versions of a path.
      return found.sorted { utf8Precedes($0.path.text, $1.path.text) }
    } ?? []
  }

  /// How many documents an account has in a container, in iCloud or only on a device.
  public func documentCount(
    of account: Account, in id: ContainerID, for request: Request
  ) throws(CloudError) -> Int {
    Set(try documentData(of: account, in: id, for: request).map(\.path.key)).count
  }

  /// Removes document contents that no document in a container references any more. Returns the
  /// number of files removed and their size in bytes.
  public func collectDocumentContents(
    in id: ContainerID, for request: Request
  ) throws(CloudError) -> (count: Int, bytes: Int64) {
    let app = DeviceApp(id, of: self, for: request, nil)
    guard try app.open() != nil else { return (0, 0) }
    // Uses the system clock, because file dates do.
    let now = Timestamp(milliseconds: Platform.wallClockMilliseconds)
    return try app.transaction { try $0.collectAssets(now: now) }
  }

  /// The size in bytes of an account's documents in a container, with all their versions.
  func documentBytes(
    of account: Account, in id: ContainerID, for request: Request
  ) throws(CloudError) -> Int64 {
    try DeviceApp(id, of: self, for: request, nil).reading {
      try $0.documentBytes(of: account).bytes
    } ?? 0
  }

  /// Keeps the contents of a container's documents in place while `work` runs.
  public func holdingDocuments<T>(
    in id: ContainerID, for request: Request, _ work: () throws -> T
  ) throws -> T {
    try DeviceApp(id, of: self, for: request, nil).holdingContents(work)
  }

  /// The files of the documents of a container.
  public func documentFiles(
    in id: ContainerID, for request: Request
  ) throws(CloudError) -> DocumentFiles {
    DocumentFiles(assets: try DeviceApp(id, of: self, for: request, nil).open()?.assets)
  }

  /// The files of the documents of a container, by their hashes.
  public struct DocumentFiles {
    let assets: AssetFiles?

    /// Passes contents to `target` in chunks. Throws `assetNotAvailable` when they are missing or
    /// damaged, and what `target` throws.
    public func copy(
      _ asset: Asset, to target: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
      guard let assets, try assets.contains(asset) else {
        throw CloudError.damagedContents(asset, isMissing: true)
      }
      guard try assets.copy(asset, to: target) else { throw CloudError.damagedContents(asset) }
    }
  }
}

extension UbiquityStore {
  /// The files of contents: one without a path, or those of a package.
  func files(of contents: DocumentContents) throws -> [PackageMember] {
    contents.isPackage
      ? try members(of: contents)
      : [PackageMember("", contents.asset, isExecutable: contents.isExecutable)]
  }
}
