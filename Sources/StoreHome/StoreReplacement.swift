internal import Basics
internal import CloudModel
internal import StoreFiles

// How a restored state takes the place of the store's: containers and settings change places with
// those of a draft, one after the other, and the draft becomes the snapshot `previous`. Whoever is
// killed on the way leaves a plan, by which the next one goes on.
extension StoreDirectory {
  /// The draft of what the store is to be.
  var replacement: StoreDirectory { with(path: snapshotsPath + "/.restore") }
  private var planPath: String { snapshotsPath + "/.restoring" }
  private var previous: String { snapshot(.previous).path }

  /// What was in the draft's folder before anything changed places.
  struct Plan {
    let draft: FileSystem.Identity
    let containers: FileSystem.Identity
    let settings: FileSystem.Identity
  }

  /// Whether somebody was killed while he replaced the store, and it is partly the new one.
  /// Throws `StoreError` where that cannot be known.
  func isPartlyReplaced() throws(StoreError) -> Bool {
    try onDisk { () throws(SystemError) in try plan().map(hasNewContainers) ?? false }
  }

  private func hasNewContainers(_ plan: Plan) throws(SystemError) -> Bool {
    try FileSystem.identityIfAny(of: containersPath) == plan.containers
  }

  /// Whether the draft's folder is still the one of the plan.
  private func hasDraft(_ plan: Plan) throws(SystemError) -> Bool {
    try FileSystem.identityIfAny(of: replacement.path) == plan.draft
  }

  /// Puts the replacement into the store's place, while nobody writes. Throws `StoreError`; nothing
  /// has changed then, or all has but for the snapshot `previous`, as the error says.
  func replaceAll() throws(StoreError) {
    let plan = try makePlan()
    try onDisk { () throws(SystemError) in
      try FileSystem.synchronize(replacement.settingsPath)
      try FileSystem.exchange(replacement.containersPath, containersPath)
      do throws(SystemError) { try replaceSettings(plan) } catch {
        do throws(SystemError) {
          try FileSystem.exchange(replacement.containersPath, containersPath)
        } catch {
          // The plan stays: the next command goes on by it.
          var error = error
          error.isDone = true
          throw error
        }
        throw error
      }
    }
    // Nobody writes to what was replaced any more; without this it is read record by record.
    try? replacement.noteFiles()
    do throws(StoreError) { try finishReplacing() } catch {
      throw StoreError(
        error.kind,
        "\(error.message); the snapshot is restored, but the old contents are not the snapshot "
          + "'previous' yet", remedy: .finishRestore)
    }
  }

  /// Goes on where somebody was killed: to the new state if the containers are the new ones, else
  /// the old state stays.
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

  /// Goes on where somebody was killed, if nobody changes snapshots at this moment. Whether
  /// somebody was may be unknown; the doctor says so then.
  public func finishIfPartlyReplaced() {
    if (try? isPartlyReplaced()) == true { try? changingSnapshots(.none) {} }
  }

  /// Forgets the plan, then removes the draft, which is the snapshot `previous` of before if all
  /// went well; one that holds the state of before stays.
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

  /// The plan that somebody left; nil for none, or one that he had not written to its end.
  private func plan() throws(SystemError) -> Plan? {
    guard FileSystem.exists(planPath) else { return nil }
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try FileSystem.contents(of: planPath) } catch {
      // Whoever replaced the store is done.
      if error.isMissingFile { return nil }
      throw error
    }
    let identities = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .compactMap { FileSystem.Identity(text: $0) }
    guard identities.count == 3 else { return nil }
    return Plan(draft: identities[0], containers: identities[1], settings: identities[2])
  }
}
