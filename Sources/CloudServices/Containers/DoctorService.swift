public import CloudModel
internal import RecordStore

/// What a look at one part of a store found.
public struct Checkup: Sendable {
  /// The container; nil for what belongs to none.
  public let container: ContainerID?
  /// The environment; nil for what belongs to none.
  public let environment: Environment?
  /// What was found.
  public let findings: [StoreFinding]
  /// How many records were read.
  public let records: Int
}

extension CloudStore {
  /// Looks at the whole store, part by part; `isDeep` reads all records, indexes and assets.
  /// Throws `CloudError` where there is no store, and for an interrupt.
  public func examine(isDeep: Bool, _ conditions: Conditions) throws(CloudError) -> [Checkup] {
    try requireStore()
    var checkups = [
      Checkup(container: nil, environment: nil, findings: directory.examine(), records: 0)
    ]
    for id in try containers() {
      for environment in Environment.allCases {
        let result = try serving {
          try directory.examine(
            id, environment, isDeep: isDeep, waitMilliseconds: conditions.waitMilliseconds)
        }
        checkups.append(
          Checkup(
            container: id, environment: environment, findings: result.findings,
            records: result.records))
      }
    }
    return checkups
  }
}
