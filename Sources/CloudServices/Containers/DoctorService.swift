public import Basics
public import CloudModel
internal import RecordStore
internal import StoreFiles
internal import StoreHome

/// The findings in one part of a store, and the results of its repair.
public struct Checkup: Sendable {
  /// The container; nil for findings outside a container.
  public let container: ContainerID?
  /// The environment; nil for findings outside an environment.
  public let environment: Environment?
  /// The findings.
  public var findings: [StoreFinding]
  /// How many records were read.
  public var records = 0
  /// Records that a repair could not preserve intact.
  public var lost: [LostRecord] = []
  /// The folder where a repair put damaged files; nil for none.
  public var keptIn: String?
  /// Whether the part is sound now, with nothing lost.
  public var isMended = false
}

extension CloudStore {
  /// Checks the whole store, part by part; `isDeep` reads all records, indexes and assets. Throws
  /// `CloudError` if there is no store, and when interrupted.
  public func examine(
    isDeep: Bool, for request: Request, _ meter: WorkMeter? = nil
  ) throws(CloudError) -> [Checkup] {
    try requireStore()
    var checkups = [
      Checkup(container: nil, environment: nil, findings: directory.examine())
    ]
    if isDeep { checkups[0].findings += try serving { try directory.examineSnapshots(meter) } }
    try forEachEnvironment { (id, environment) throws(CloudError) in
      let result = try serving {
        try directory.examine(
          id, environment, isDeep: isDeep, patience: request.patience, meter)
      }
      checkups.append(
        Checkup(
          container: id, environment: environment, findings: result.findings,
          records: result.records))
    }
    for id in try containers() {
      let findings = try serving {
        try directory.examineOthers(
          id, isDeep: isDeep, patience: request.patience)
      }
      if !findings.isEmpty {
        checkups.append(Checkup(container: id, environment: nil, findings: findings))
      }
    }
    return checkups
  }

  /// Repairs the whole store: redundant data is rebuilt; damaged databases are replaced by new ones
  /// with all readable data, and kept beside them. Throws `CloudError` if something cannot be
  /// changed.
  public func repair(
    for request: Request, _ meter: WorkMeter? = nil
  ) throws(CloudError) -> [Checkup] {
    try requireStore()
    var findings = directory.examine()
    try serving { try directory.repairOwnFiles() }
    // A snapshot is repaired as a store of its own, or deleted.
    findings += try serving { try directory.examineSnapshots(meter) }
    // The contents of unreadable settings are lost.
    let isMended = !findings.contains { $0.code == .settings || $0.code == .snapshot }
    var checkups = [
      Checkup(container: nil, environment: nil, findings: findings, isMended: isMended)
    ]
    try forEachEnvironment { (id, environment) throws(CloudError) in
      let result = try serving {
        try directory.repair(
          id, environment, at: request.now, patience: request.patience, meter)
      }
      let lost = result.lost.map {
        StoreFinding(.lostRecord, "\($0.record.zone.text)/\($0.record.name.text)", $0.reason)
      }
      checkups.append(
        Checkup(
          container: id, environment: environment, findings: result.examination.findings + lost,
          records: result.examination.records, lost: result.lost, keptIn: result.keptIn,
          isMended: result.isWhole))
    }
    for id in try containers() {
      let repairs = try serving {
        try directory.repairOthers(
          id, at: request.now, patience: request.patience)
      }
      for repair in repairs {
        checkups.append(
          Checkup(
            container: id, environment: nil, findings: repair.examination.findings,
            keptIn: repair.keptIn, isMended: repair.isWhole))
      }
    }
    return checkups
  }
}
