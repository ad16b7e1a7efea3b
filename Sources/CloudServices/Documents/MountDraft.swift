internal import Basics
internal import CloudModel
internal import StoreFiles

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A file of a mount under a temporary name. A thread copies large contents, so that two files can
/// be written at a time.
final class MountDraft: @unchecked Sendable {
  let file: DocumentMaterializing.Wanted
  /// Its place in the mount.
  let name: String
  private let path: String
  private let assets: AssetFiles
  /// When the contents were saved, by this machine's clock.
  private let time: Timestamp
  private var failure: (any Error)?
  private var worker: Worker?

  init(
    _ file: DocumentMaterializing.Wanted, _ name: String, in folder: MountFolder,
    _ assets: AssetFiles, at time: Timestamp
  ) {
    (self.file, self.name, self.assets, self.time) = (file, name, assets, time)
    path = "\(folder.tree.path)/\(name)"
  }

  /// Begins to copy large contents, if a thread can be started.
  func begin() {
    if AssetFiles.isLarge(file.contents.asset) { worker = try? Worker { self.write() } }
  }

  /// Copies the contents, or waits for the copy. Throws `assetNotAvailable` for contents that are
  /// damaged in the store, and `SystemError`, and then discards the copy.
  func finish() throws {
    if let worker { worker.join() } else { write() }
    worker = nil
    guard let failure else { return }
    discard()
    throw failure
  }

  /// Removes the copy.
  func discard() {
    worker?.join()
    worker = nil
    try? FileSystem.remove(path)
  }

  private func write() {
    do {
      let contents = file.contents
      guard try assets.copy(contents.asset, to: path) else {
        throw CloudError.damagedContents(contents.asset)
      }
      guard chmod(path, contents.isExecutable ? 0o755 : 0o644) == 0 else {
        throw SystemError("change", path)
      }
      let times = [time.specification, time.specification]
      guard utimensat(AT_FDCWD, path, times, 0) == 0 else { throw SystemError("change", path) }
    } catch {
      failure = error
    }
  }
}

extension Timestamp {
  fileprivate var specification: timespec {
    let seconds = milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
    return timespec(
      tv_sec: Int(seconds), tv_nsec: Int((milliseconds - seconds * 1000) * 1_000_000))
  }
}
