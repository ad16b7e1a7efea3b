internal import Basics
internal import CloudModel
internal import StoreFiles

// How a restored state replaces the store's: containers and settings are exchanged with those of a
// draft, one after the other, and the draft becomes the snapshot `previous`. A process that is
// killed in between leaves a plan, which the next one completes.
extension StoreDirectory {
  /// The draft of the new state.
  var replacement: StoreDirectory { with(path: snapshotsPath + "/.restore") }
  private var planPath: String { snapshotsPath + "/.restoring" }
  private var previous: String { snapshot(.previous).path }

  /// The contents of the draft's folder before the first exchange.
  struct Plan {
    let draft: FileSystem.Identity
    let containers: FileSystem.Identity
    let settings: FileSystem.Identity
  }

  /// Whether a process was killed while it replaced the store, which is partly the new one. Throws
  /// `StoreError` if that cannot be determined.
  func isPartlyReplaced() throws(StoreError) -> Bool {
    try onDisk { () throws(SystemError) in try plan().map(hasNewContainers) ?? false }
  }

  private func hasNewContainers(_ plan: Plan) throws(SystemError) -> Bool {
    try FileSystem.identityIfAny(of: containersPath) == plan.containers
  }

  /// Whether the draft's folder is still the one in the plan.
  private func hasDraft(_ plan: Plan) throws(SystemError) -> Bool {
    try FileSystem.identityIfAny(of: replacement.path) == plan.draft
  }

  /// Replaces the store by the draft, while no process writes. Throws `StoreError`: then nothing
  /// has changed, or, as the error says, everything except the snapshot `previous`.
  func replaceAll() throws(StoreError) {
    let sharesSettings = try onDisk { () throws(SystemError) in try shareSettings() }
    let plan = try makePlan()
    try onDisk { () throws(SystemError) in
      if !sharesSettings { try FileSystem.synchronize(replacement.settingsPath) }
      try FileSystem.exchange(replacement.containersPath, containersPath)
      do throws(SystemError) { try replaceSettings(plan) } catch {
        do throws(SystemError) {
          try FileSystem.exchange(replacement.containersPath, containersPath)
        } catch {
          // The plan remains: the next command completes it.
          var error = error
          error.isDone = true
          throw error
        }
        throw error
      }
    }
    do throws(StoreError) { try finishReplacing() } catch {
      throw StoreError(
        error.kind,
        "\(error.message); the snapshot is restored, but the old contents are not the snapshot "
          + "'previous' yet", remedy: .finishRestore)
    }
  }

  /// Gives the draft the store's settings file if both have the same contents: these are on the
  /// disk already. Returns whether it did.
  private func shareSettings() throws(SystemError) -> Bool {
    let draft = replacement.settingsPath
    guard try FileSystem.contents(of: draft) == FileSystem.contents(of: settingsPath) else {
      return false
    }
    let shared = draft + ".new"
    do throws(SystemError) { try FileSystem.link(settingsPath, to: shared) } catch { return false }
    try FileSystem.rename(shared, to: draft)
    return true
  }

  /// Completes an interrupted replacement: to the new state if the containers are the new ones,
  /// else back to the old state.
  func finishReplacing() throws(StoreError) {
    try onDisk { () throws(SystemError) in
      if let plan = try plan(), try hasNewContainers(plan) {
        try replaceSettings(plan)
        if try hasDraft(plan) {
          if try FileSystem.statusIfAny(of: previous) == nil {
            try FileSystem.rename(replacement.path, to: previous)
          } else {
            try FileSystem.exchange(replacement.path, previous)
          }
        }
      }
    }
    try? dropReplacement()
  }

  /// Completes an interrupted replacement, unless a process is changing snapshots. Whether there
  /// was one may be unknown; the doctor reports it then.
  public func finishIfPartlyReplaced() {
    if (try? isPartlyReplaced()) == true { try? changingSnapshots(.none) {} }
  }

  /// Removes the plan, then the draft, which has become the snapshot `previous` if all went well; a
  /// draft with the old state remains.
  func dropReplacement() throws(StoreError) {
    try onDisk { () throws(SystemError) in
      if let plan = try plan(), try hasNewContainers(plan), try hasDraft(plan) { return }
      try FileSystem.remove(planPath)
      try FileSystem.remove(replacement.path)
    }
  }

  private func replaceSettings(_ plan: Plan) throws(SystemError) {
    guard try FileSystem.identityIfAny(of: replacement.settingsPath) == plan.settings else {
      return
    }
    try FileSystem.exchange(replacement.settingsPath, settingsPath)
  }

  // MARK: The plan

  func makePlan() throws(StoreError) -> Plan {
    try onDisk { () throws(SystemError) in
      let draft = replacement
      let identities = try [draft.path, draft.containersPath, draft.settingsPath].map {
        (path) throws(SystemError) in FileSystem.Identity(try FileSystem.knownStatus(of: path))
      }
      try FileSystem.remove(planPath)
      try FileHandle(create: planPath).writeAll(
        Array(identities.map { $0.text + "\n" }.joined().utf8))
      return Plan(draft: identities[0], containers: identities[1], settings: identities[2])
    }
  }

  /// The plan of an interrupted replacement; nil for none, and for an incomplete one.
  private func plan() throws(SystemError) -> Plan? {
    guard FileSystem.exists(planPath) else { return nil }
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try FileSystem.contents(of: planPath) } catch {
      // The process that replaced the store is done.
      if error.isMissingFile { return nil }
      throw error
    }
    let identities = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .compactMap { FileSystem.Identity(text: $0) }
    guard identities.count == 3 else { return nil }
    return Plan(draft: identities[0], containers: identities[1], settings: identities[2])
  }
}
