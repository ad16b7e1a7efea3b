internal import Basics
internal import StoreFiles

// How the database of an environment is opened and made anew for a repair.
extension DatabaseSwap {
  /// Makes an empty environment for the new database.
  func makeDraft() throws(StoreError) -> EnvironmentFile {
    try onDisk { () throws(SystemError) in try FileSystem.remove(draftFolder) }
    let draft = EnvironmentFile(folder: draftFolder)
    try draft.create()
    return draft
  }

  /// Opens the damaged database; nil when there is nothing of it. Where its first bytes are not
  /// what they are in every file, a copy with these is opened. Throws `StoreError` for one that is
  /// not damaged, but of another version, or cannot be read now.
  func openOld() throws(StoreError) -> EnvironmentStore? {
    do throws(StoreError) {
      return try EnvironmentStore(folder: file.folder, waitMilliseconds: 0, isPatient: true)
    } catch {
      switch error.kind {
      case .corrupt, .damagedRecord, .damagedZone, .missing: return try openCopy()
      case .olderVersion:
        // A damaged number of this version, if rows have seals.
        guard let copy = try openCopy(), copy.hasSeals else { throw error }
        return copy
      case .busy, .full, .readOnly, .exposed, .newerVersion, .deleted, .cannotCreate,
        .inputOutput, .interrupted, .tooBig, .tooMany:
        throw error
      }
    }
  }

  /// Opens a copy with a mended head; nil when that cannot be read either.
  private func openCopy() throws(StoreError) -> EnvironmentStore? {
    guard let copy = try copyWithMendedHead() else { return nil }
    do throws(StoreError) {
      return try EnvironmentStore(folder: copy.folder, waitMilliseconds: 0, isPatient: true)
    } catch {
      guard case .corrupt = error.kind else { throw error }
      return nil
    }
  }
}
