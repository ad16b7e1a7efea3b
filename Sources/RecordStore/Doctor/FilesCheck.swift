internal import Basics
internal import CloudModel
internal import StoreFiles

/// A look at the files of an environment: what should be there, who may read it, and leftovers.
struct FilesCheck {
  let file: EnvironmentFile
  var list: FindingList
  private let meter: WorkMeter?
  private static let names: Set = [
    "records.sqlite", "records.sqlite-wal", "records.sqlite-shm", "lock", "assets.lock", "assets",
    "catalog", "catalog.new",
  ]

  /// Tells so many findings of each kind.
  init(_ file: EnvironmentFile, most: Int = 100, _ meter: WorkMeter? = nil) {
    self.file = file
    self.meter = meter
    list = FindingList(most: most)
  }

  /// Looks at the folder, and at the contents of assets: `held` are those that records have, nil
  /// where not all records can be read; `isDeep` reads them. Throws `StoreError` when the folder
  /// cannot be read.
  mutating func run(held: [Asset]?, isDeep: Bool) throws(StoreError) {
    for path in file.structure where !FileSystem.exists(path) {
      list.add(.structure, relative(path), "it is missing")
    }
    if FileSystem.exists(file.catalogCopyPath), (try? CatalogCopy(of: file)) == nil {
      list.add(.structure, relative(file.catalogCopyPath), "it is damaged")
    }
    checkMode(file.folder)
    for name in try entries(of: file.folder) {
      checkMode("\(file.folder)/\(name)")
      if name.hasPrefix("records-") {
        list.add(.backup, name, "a copy from before an upgrade; it can be removed")
      } else if !Self.names.contains(name) {
        list.add(.stranger, name, "this file does not belong to the store")
      }
    }
    var contents = AssetsCheck(file, heldBy: "record", list, meter)
    try contents.run(held: held, isDeep: isDeep)
    list = contents.list
  }

  private func relative(_ path: String) -> String {
    String(path.dropFirst(file.folder.count + 1))
  }

  private func entries(of folder: String) throws(StoreError) -> [String] {
    try onDisk { () throws(SystemError) in try FileSystem.list(folder) }
  }

  private mutating func checkMode(_ path: String) { list.checkMode(path, in: file.folder) }
}

extension EnvironmentFile {
  /// What an environment has next to its database.
  var structure: [String] { [lockPath] + folders }
}
