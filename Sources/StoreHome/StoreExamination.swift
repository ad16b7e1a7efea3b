public import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

extension StoreDirectory {
  /// Checks what is not part of an environment: the settings, and leftovers.
  public func examine() -> [StoreFinding] {
    var list = FindingList()
    do throws(StoreError) { _ = try settings() } catch {
      list.add(.settings, "store.json", error.message)
    }
    do throws(StoreError) { _ = try people() } catch {
      list.add(.settings, "containers/people.json", error.message)
    }
    do throws(StoreError) { _ = try access() } catch {
      list.add(.settings, "access.json", error.message)
    }
    for file in ownFiles { list.checkMode(file, in: path) }
    for name in names(in: "containers", &list)
    where !Self.isContainer(name) || FileSystem.isNonDirectory("\(containersPath)/\(name)") {
      if Self.isLeftover(name) {
        list.add(.leftover, "containers/\(name)", "left by an interrupted command")
      } else if name != ".lock", name != FileSystem.name(of: peoplePath) {
        list.add(.stranger, "containers/\(name)", "this file does not belong to the store")
      }
    }
    for name in names(in: "snapshots", &list)
    where name.hasPrefix(".") && name != ".lock" {
      if [".draft", ".restore", ".restoring"].contains(name) {
        list.add(.leftover, "snapshots/\(name)", "left by an interrupted command")
      } else {
        list.add(.stranger, "snapshots/\(name)", "this file does not belong to the store")
      }
    }
    do throws(StoreError) {
      if try isPartlyReplaced() {
        list.add(.structure, "store.json", "a restore was interrupted; a repair finishes it")
      }
    } catch { list.add(.structure, "snapshots/.restoring", error.message) }
    for id in (try? containers()) ?? [] { examineContainer("containers/\(id)", &list) }
    if Library.mayLoseCommits {
      list.add(
        .library, "SQLite \(Library.version)",
        "programs that write to a store without its lock may lose commits (the WAL-reset bug, "
          + "fixed in 3.51.3)")
    }
    return list.all
  }

  /// Checks the snapshots. Throws `StoreError` for an interruption, and if they cannot be read.
  public func examineSnapshots(_ meter: WorkMeter? = nil) throws(StoreError) -> [StoreFinding] {
    var findings: [StoreFinding] = []
    let names: [SnapshotName]
    do throws(StoreError) { names = try snapshotNames() } catch {
      if error.isOfSurroundings { throw error }
      return [StoreFinding(.snapshot, "snapshots", error.message)]
    }
    for name in names {
      guard let damage = try snapshot(name).damageOfCopy(meter) else { continue }
      findings.append(
        StoreFinding(.snapshot, name.text, damage, remedy: .deleteSnapshot(name)))
    }
    return findings
  }

  /// The names in a folder of the store, none if it does not exist; a finding if it cannot be read.
  private func names(in folder: String, _ list: inout FindingList) -> [String] {
    let place = "\(path)/\(folder)"
    do throws(SystemError) {
      return try FileSystem.statusIfAny(of: place) == nil ? [] : FileSystem.list(place)
    } catch {
      list.add(.structure, folder, error.description)
      return []
    }
  }

  /// Checks what is next to the environments of a container.
  private func examineContainer(_ folder: String, _ list: inout FindingList) {
    for name in names(in: folder, &list)
    where Environment(rawValue: name) == nil && !others.contains(where: { $0.format.name == name })
    {
      let subject = "\(folder)/\(name)"
      if name.contains(".damaged-") {
        list.add(.backup, subject, "files from before a repair; they can be removed")
      } else if name.hasSuffix(".repair") {
        list.add(.leftover, subject, "left by an interrupted repair")
      } else {
        list.add(.stranger, subject, "this file does not belong to the store")
      }
    }
  }
}

// MARK: - Databases

extension StoreDirectory {
  /// Examines an environment; `isDeep` reads all records, indexes and assets. Throws `StoreError`
  /// for an interruption.
  public func examine(
    _ id: ContainerID, _ environment: Environment, isDeep: Bool, patience: Patience,
    _ meter: WorkMeter? = nil
  ) throws(StoreError) -> Examination {
    let file = environmentFile(folder(id, environment))
    return try environments.examine(file, isDeep: isDeep, readsAssets: isDeep, patience, meter)
  }

  /// Repairs an environment. Throws `StoreError` if the files cannot be changed.
  public func repair(
    _ id: ContainerID, _ environment: Environment, at time: Timestamp, patience: Patience,
    _ meter: WorkMeter? = nil
  ) throws(StoreError) -> Repair {
    let file = environmentFile(folder(id, environment))
    return try environments.repair(file, at: time, patience, meter)
  }

  /// Examines the databases of a container other than its environments; `isDeep` reads indexes and
  /// assets, too. Throws `StoreError` for an interruption.
  public func examineOthers(
    _ id: ContainerID, isDeep: Bool, patience: Patience
  ) throws(StoreError) -> [StoreFinding] {
    var findings: [StoreFinding] = []
    for file in try otherFiles(id.text) {
      findings += try kind(of: file)
        .examine(file, isDeep: isDeep, readsAssets: isDeep, patience).findings
        .map { $0.within(file.format.name) }
    }
    return findings
  }

  /// Repairs the databases of a container other than its environments. Throws `StoreError` if the
  /// files cannot be changed.
  public func repairOthers(
    _ id: ContainerID, at time: Timestamp, patience: Patience
  ) throws(StoreError) -> [Repair] {
    try otherFiles(id.text).map { (file) throws(StoreError) in
      try kind(of: file).repair(file, at: time, patience).within(file.format.name)
    }
  }
}
