internal import Basics
internal import CloudModel
internal import StoreFiles
internal import UbiquityStore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Contents stored under temporary names until a save keeps them.
struct StagedContents {
  let contents: DocumentContents
  fileprivate(set) var drafts: [AssetFiles.Draft] = []
  fileprivate(set) var members: [PackageMember] = []
  /// The files that were read.
  fileprivate(set) var files: [SavedFiles.File] = []

  init(_ draft: AssetFiles.Draft, isExecutable: Bool = false, _ files: [SavedFiles.File] = []) {
    contents = DocumentContents(draft.asset, isExecutable: isExecutable)
    (drafts, self.files) = ([draft], files)
  }

  init(_ members: [PackageMember], _ drafts: [AssetFiles.Draft], _ files: [SavedFiles.File]) {
    contents = DocumentContents(package: members)
    (self.members, self.drafts, self.files) = (members, drafts, files)
  }
}

extension DocumentContents {
  /// A package of members, in byte order of their paths. Its hash is the hash of their list.
  init(package members: [PackageMember]) {
    var list: [UInt8] = []
    for member in members {
      list += "\(member.asset.sha256) \(member.isExecutable ? "x" : "-") ".utf8
      list += Array(member.path.utf8) + [0]
    }
    var asset = AssetFiles.asset(of: list)
    asset.size = members.reduce(0) { $0 + $1.asset.size }
    self.init(asset, isPackage: true)
  }
}

extension DocumentStore {
  /// Copies a file, or a folder as a package, into the store and hashes it. Throws
  /// `assetFileNotFound` for files that cannot be read, and `invalidArguments` for links and other
  /// special files.
  func stage(_ path: String) throws(CloudError) -> StagedContents {
    let assets = try openOrMake().assets
    guard FileSystem.isDirectory(path) else {
      return try serving { try Self.stage(file: path, assets) }
    }
    return try serving {
      var drafts: [AssetFiles.Draft] = []
      var files: [SavedFiles.File] = []
      do {
        var members: [PackageMember] = []
        for name in try Self.files(below: path) {
          let staged = try Self.stage(file: "\(path)/\(name)", assets)
          drafts += staged.drafts
          files += staged.files
          members.append(
            PackageMember(
              name, staged.contents.asset, isExecutable: staged.contents.isExecutable))
        }
        return StagedContents(members, drafts, files)
      } catch {
        drafts.forEach(assets.discard)
        throw error
      }
    }
  }

  /// Writes bytes into the store.
  func stage(_ bytes: [UInt8]) throws(CloudError) -> StagedContents {
    let assets = try openOrMake().assets
    return try serving { StagedContents(try assets.draft(of: bytes)) }
  }

  private static func stage(file path: String, _ assets: AssetFiles) throws -> StagedContents {
    let file: FileHandle
    do { file = try FileHandle(openRegular: path) } catch {
      throw CloudError(.assetFileNotFound, "\(error)")
    }
    let before = try file.state()
    let draft = try assets.draft(from: file)
    guard try file.state() == before else {
      assets.discard(draft)
      throw CloudError(.assetFileModified, "the file changed while it was being read: \(path)")
    }
    return StagedContents(
      draft, isExecutable: try file.status().isExecutable,
      [SavedFiles.File(path: path, state: before)])
  }

  /// The paths of the files below a folder, relative to it, in byte order.
  private static func files(below folder: String) throws -> [String] {
    var files: [String] = []
    var folders = [""]
    while let place = folders.popLast() {
      for name in try FileSystem.list(folder + place) {
        let path = "\(place)/\(name)"
        switch try FileSystem.knownStatus(of: folder + path).st_mode & S_IFMT {
        case S_IFREG: files.append(String(path.dropFirst()))
        case S_IFDIR: folders.append(path)
        default:
          throw CloudError(.invalidArguments, "'\(folder + path)' is neither a file nor a folder")
        }
      }
    }
    return files.sorted(by: utf8Precedes)
  }

  /// Runs `work` with staged contents, and then discards those that no document references.
  func writing<T>(
    _ staged: StagedContents, _ work: (DocumentWriting) throws -> T
  ) throws(CloudError) -> T {
    var isBrought = false
    defer {
      if !isBrought, let assets = try? openOrMake().assets {
        staged.drafts.forEach(assets.discard)
      }
    }
    return try write { writing in
      isBrought = true
      writing.store.stage(staged.drafts)
      if !staged.members.isEmpty {
        try writing.store.keep(staged.members, of: staged.contents)
      }
      return try work(writing)
    }
  }
}
