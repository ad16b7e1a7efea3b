internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Checksums of the files of a snapshot or of a store in the cache of `exec`: copies must have the
/// same ones. Assets count with their names, which are hashes that every read verifies, and with
/// their lengths.
struct StoreManifest: Equatable {
  /// The lines `CHECKSUM PATH`, in the byte order of the paths.
  private let lines: [String]

  /// Reads all files of a store that does not change.
  init(of store: StoreDirectory) throws(StoreError) {
    var sums: [(String, UInt64)] = []
    func add(_ name: String, _ path: String) throws(StoreError) {
      sums.append((name, try Self.checksum(of: path, store.interruption)))
    }
    try add("store.json", store.settingsPath)
    if try onDisk({ () throws(SystemError) in try FileSystem.hasFile(at: store.peoplePath) }) {
      try add("containers/people.json", store.peoplePath)
    }
    for file in try store.databaseFiles() {
      let place = file.folder.dropFirst(store.path.utf8.count + 1)
      try add("\(place)/\(file.name)", file.databasePath)
      if try onDisk({ () throws(SystemError) in try file.logSize() }) > 0 {
        try add("\(place)/\(file.name)-wal", file.logPath)
      }
      let names = try onDisk { () throws(SystemError) in try Self.names(in: file.assetsPath) }
      sums.append(("\(place)/assets", names))
    }
    lines = sums.sorted { utf8Precedes($0.0, $1.0) }.map { "\(String($0.1, radix: 16)) \($0.0)" }
  }

  /// Reads a manifest. Throws `StoreError` if it does not match its checksum.
  init(at path: String) throws(StoreError) {
    let bytes = try onDisk { () throws(SystemError) in
      try FileSystem.contents(ofOwn: path)
    }
    var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    let seal = lines.popLast()
    self.lines = lines
    guard seal == self.seal else { throw StoreError(.corrupt, "\(path) is damaged") }
  }

  /// Writes the manifest, completely or not at all.
  func write(to path: String) throws(StoreError) {
    let text = (lines + [seal]).map { $0 + "\n" }.joined()
    let draft = path + ".new"
    try onDisk { () throws(SystemError) in
      try FileSystem.remove(draft)
      do throws(SystemError) {
        try FileHandle(create: draft).writeAll(Array(text.utf8))
        try FileSystem.rename(draft, to: path)
      } catch {
        try? FileSystem.remove(draft)
        throw error
      }
    }
  }

  /// The checksum of the lines: the last line.
  private var seal: String {
    String(Checksum64.hash(Array(lines.joined(separator: "\n").utf8), seed: 4), radix: 16)
  }

  /// The paths whose checksums differ in another manifest.
  func differences(from other: StoreManifest) -> [String] {
    Set(lines).symmetricDifference(other.lines).compactMap {
      $0.split(separator: " ", maxSplits: 1).last.map(String.init)
    }.sorted(by: utf8Precedes)
  }

  // MARK: Checksums

  private static let bufferSize = 256 << 10

  /// The checksum of a file's bytes.
  private static func checksum(
    of path: String, _ interruption: Interruption
  ) throws(StoreError) -> UInt64 {
    try onDisk { () throws(SystemError) in
      let file = try FileHandle(openOwn: path, O_RDONLY)
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 32)
      defer { buffer.deallocate() }
      var sum = LanedChecksum(seed: 0)
      while true {
        if interruption.isRaised { throw SystemError("read", path, number: EINTR) }
        var count = 0
        while count < buffer.count {
          let more = try file.read(into: .init(rebasing: buffer[count...]))
          if more == 0 { break }
          count += more
        }
        sum.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        if count < buffer.count { break }
      }
      return sum.finish()
    }
  }

  /// The sum of the names and lengths of the files below a folder, except drafts.
  private static func names(in folder: String) throws(SystemError) -> UInt64 {
    var sum: UInt64 = 0
    for name in try FileSystem.list(folder) where name != "tmp" {
      let path = "\(folder)/\(name)"
      let status = try FileSystem.knownStatus(of: path)
      var one = Checksum64(seed: 6)
      one.add(name)
      if status.st_mode & S_IFMT == S_IFDIR {
        one.add(try names(in: path))
      } else {
        one.add(UInt64(status.st_size))
      }
      sum &+= one.finish()
    }
    return sum
  }
}

extension StoreDirectory {
  private var manifestPath: String { path + "/checksums" }

  /// Notes the checksums of the files of a copy, for the next copy of it.
  func noteFiles() throws(StoreError) { try StoreManifest(of: self).write(to: manifestPath) }

  /// The noted checksums; nil if there are none.
  private func manifest() throws(StoreError) -> StoreManifest? {
    let status = try onDisk { () throws(SystemError) in
      try FileSystem.statusIfAny(of: manifestPath)
    }
    return try status == nil ? nil : StoreManifest(at: manifestPath)
  }

  /// Verifies that a new copy of this store, which does not change, has the same files.
  func compare(with copy: StoreDirectory) throws(StoreError) {
    let differences = try StoreManifest(of: self).differences(from: StoreManifest(of: copy))
    guard let first = differences.first else { return }
    throw StoreError(.corrupt, "\(copy.path) is damaged: \(first) differs from \(path)")
  }

  /// Verifies a new copy of this store, which does not change: its files must match the noted
  /// checksums or, without these, the rows of its databases theirs. If `mayHaveChanged`, the store
  /// may have been changed since it was a copy, such as a snapshot that was used as a store.
  func verify(
    copy: StoreDirectory, mayHaveChanged: Bool = false, _ meter: WorkMeter? = nil
  ) throws(StoreError) {
    if let noted = try manifest() {
      let differences = try noted.differences(from: StoreManifest(of: copy))
      guard let first = differences.first else { return }
      if !mayHaveChanged {
        throw StoreError(.corrupt, "\(path) is damaged: \(first) differs from what was saved")
      }
    }
    let patience = Patience(milliseconds: 0, interruption: interruption)
    for file in try copy.databaseFiles() {
      if copy.path != path { file.tryUpgrade(patience: patience) }
      try requireSound(file, patience, meter)
    }
  }

  /// The damage of a kept copy; nil for none. Throws `StoreError` for an interruption, and if it
  /// cannot be read.
  func damageOfCopy(_ meter: WorkMeter? = nil) throws(StoreError) -> String? {
    do throws(StoreError) {
      try verify(copy: self, mayHaveChanged: true, meter)
      try verifyContents(meter)
      return nil
    } catch {
      if error.isOfSurroundings { throw error }
      return error.message
    }
  }

  /// Verifies the contents in a kept copy against their hashes. Where the file system allows it,
  /// they are the same files as in the store: one flipped bit damages both.
  func verifyContents(_ meter: WorkMeter? = nil) throws(StoreError) {
    for file in try databaseFiles() {
      let contents = AssetFiles(folder: file.assetsPath, interruption)
      guard let damaged = try contents.damagedPath() else { continue }
      throw StoreError(
        .corrupt,
        "\(path) is damaged: \(damaged.dropFirst(path.utf8.count + 1)) does not match its hash",
        remedy: .repairCopy(path))
    }
  }

  /// Throws `StoreError` for a copied database with losses. Does not read the contents of
  /// environments' assets.
  private func requireSound(
    _ file: DatabaseFile, _ patience: Patience, _ meter: WorkMeter?
  ) throws(StoreError) {
    guard try file.check().version == file.format.version else { return }
    let findings = try kind(of: file).examine(
      file, isDeep: true, readsAssets: !isEnvironment(file), patience, meter
    ).findings
    guard let finding = findings.first(where: { $0.code.severity == .damage }) else { return }
    throw StoreError(.corrupt, "\(path) is damaged: \(finding.subject): \(finding.detail)")
  }
}
