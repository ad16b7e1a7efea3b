public import Basics
public import CloudModel
public import StoreFiles

// The other half of a container: its key-value store, next to the environments. The first write
// creates it.
extension StoreDirectory {
  /// The folder of a container's key-value store.
  public func ubiquityFolder(_ id: ContainerID) -> String {
    "\(containersPath)/\(id.text)/\(Self.ubiquityName)"
  }

  static let ubiquityName = "ubiquity"

  /// Whether it exists. Throws `StoreError` if that cannot be determined.
  public func hasUbiquityFolder(_ id: ContainerID) throws(StoreError) -> Bool {
    try onDisk { () throws(SystemError) in try FileSystem.hasFolder(at: ubiquityFolder(id)) }
  }

  /// Creates the folder if there is none, completely or not at all: `fill` gets the path of a
  /// draft.
  public func makeUbiquityFolder(
    _ id: ContainerID, patience: Patience, by fill: (String) throws(StoreError) -> Void
  ) throws(StoreError) {
    let lock = try containersLock(patience)
    defer { lock.unlock() }
    guard try contains(id) else {
      throw StoreError(.deleted, "Container '\(id.text)' does not exist")
    }
    let folder = ubiquityFolder(id)
    if try hasUbiquityFolder(id) { return }
    let draft = "\(containersPath)/.new-\(id.text)"
    do throws(StoreError) {
      try onDisk { () throws(SystemError) in try FileSystem.remove(draft) }
      try fill(draft)
      try onDisk { () throws(SystemError) in
        try FileSystem.rename(draft, to: folder)
        try FileSystem.settle(FileSystem.parent(of: folder))
      }
    } catch {
      try? FileSystem.remove(draft)
      throw error
    }
  }
}
