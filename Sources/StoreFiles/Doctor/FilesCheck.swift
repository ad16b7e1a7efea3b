internal import Basics
internal import CloudModel

/// A check of the files of a database: whether all are there, who may read them, and leftovers.
struct FilesCheck<Database: ExaminedDatabase> {
  private let file: DatabaseFile
  private let meter: WorkMeter?

  init(_ file: DatabaseFile, _ meter: WorkMeter? = nil) {
    (self.file, self.meter) = (file, meter)
  }

  /// Checks the folder and the contents of assets: `held` are those that rows name, nil if not all
  /// rows can be read; `readsAssets` reads them. Throws `StoreError` if a folder of contents cannot
  /// be read.
  func run(
    held: [Asset]?, readsAssets: Bool, _ list: inout FindingList
  ) throws(StoreError) {
    for path in [file.lockPath] + file.folders {
      let found = try onDisk { () throws(SystemError) in try FileSystem.statusIfAny(of: path) }
      guard found == nil else { continue }
      list.add(.structure, String(path.dropFirst(file.folder.count + 1)), "it is missing")
    }
    try checkNames(&list)
    var contents = AssetsCheck(file, heldBy: Database.assetHolder, list, meter)
    try contents.run(held: held, isDeep: readsAssets)
    list = contents.list
  }

  private func checkNames(_ list: inout FindingList) throws(StoreError) {
    let format = file.format
    let names: Set = [
      file.name, file.name + "-wal", file.name + "-shm", "lock", "assets",
      FileSystem.name(of: file.downloads),
    ]
    list.checkMode(file.folder, in: file.folder)
    for name in try onDisk({ () throws(SystemError) in try FileSystem.list(file.folder) }) {
      list.checkMode("\(file.folder)/\(name)", in: file.folder)
      if name.hasPrefix(format.name + "-") {
        list.add(.backup, name, "a copy from before an upgrade; it can be removed")
      } else if !names.contains(name), !(format.companions + format.copies).contains(name) {
        list.add(.stranger, name, "this file does not belong to the store")
      }
    }
  }
}
