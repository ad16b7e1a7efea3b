internal import Basics
public import CloudKit
internal import CloudModel
internal import CloudServices
internal import Fixtures
internal import WireFormat

/// The faults of a fixture, which was not loaded.
public struct FixtureError: Error, CustomStringConvertible, LocalizedError {
  /// The faults, each with the file, line and column where it is.
  public let faults: [String]

  /// The faults, one in a line.
  public var description: String { faults.joined(separator: "\n") }
  /// The same.
  public var errorDescription: String? { description }

  init(_ faults: [FixtureFault], _ loader: FixtureLoader) {
    self.faults = faults.map { fault in
      "\(loader.sources[fault.position.source]):\(fault.position.text): \(fault.error.message)"
    }
  }
}

extension LocalCloud {
  /// What differs between the cloud and a fixture.
  public struct Difference: Sendable, CustomStringConvertible {
    /// The record; nil for a difference in a zone itself.
    public let recordID: CKRecord.ID?
    /// The zone.
    public let zoneID: CKRecordZone.ID
    /// The field, `recordType` or `parent`; nil if the whole record or zone is missing or
    /// unexpected.
    public let key: String?
    /// What the fixture expects, as text; nil for nothing.
    public let expected: String?
    /// What the cloud has, as text; nil for nothing.
    public let found: String?

    /// `_defaultZone/b1 title: expected "A", found "B"`.
    public var description: String {
      let place = [zoneID.zoneName, recordID?.recordName].compactMap { $0 }.joined(separator: "/")
      return place + (key.map { " \($0)" } ?? "")
        + ": expected \(expected ?? "nothing"), found \(found ?? "nothing")"
    }
  }

  /// Loads a fixture, as `ckdb fixture load` does: its records replace those of the same names.
  /// Throws `FixtureError`; then nothing is changed.
  public func load(_ fixture: URL, as account: String = "me") throws {
    try ckErrors {
      let loader = try FixtureLoader([fixture.path], settings(account))
      let summary = try load(loader)
      guard summary.faults.isEmpty else { throw FixtureError(summary.faults, loader) }
    }
  }

  private func load(_ loader: FixtureLoader) throws -> FixtureSummary {
    let id = try container(of: loader)
    return try loader.load(into: cloud.store, id) { try cloud.environment(id, for: request) }
  }

  /// Compares the cloud with a fixture, as `ckdb assert` does: all records of the types and zones
  /// that it names, with all their fields; with `isSubset` only what it names.
  public func differences(
    from fixture: URL, as account: String = "me", isSubset: Bool = false,
    ignoring fields: [String] = []
  ) throws -> [Difference] {
    try ckErrors {
      let loader = try FixtureLoader([fixture.path], settings(account))
      var options = ComparisonOptions()
      (options.isSubset, options.ignored) = (isSubset, IgnoredFields(fields))
      let environment = try cloud.environment(container(of: loader), for: request)
      let result = try loader.compare(with: environment, options)
      guard result.faults.isEmpty else { throw FixtureError(result.faults, loader) }
      return result.differences.map(Difference.init)
    }
  }

  private func container(of loader: FixtureLoader) throws -> ContainerID {
    try loader.container(in: cloud.store) ?? ContainerID("iCloud.org.example.fixture")
  }

  private func settings(_ account: String) throws -> FixtureSettings {
    var request = request
    request.account = try Account(account)
    return FixtureSettings(request, environment: cloud.withConditions { $0.environment })
  }

  // MARK: Snapshots

  /// Saves the state of the cloud under a name, over an earlier one.
  public func save(_ snapshot: String) throws {
    try ckErrors {
      try cloud.store.saveSnapshot(SnapshotName(snapshot), replaces: true, for: request)
    }
  }

  /// Restores a state that was saved.
  public func restore(_ snapshot: String) throws {
    try ckErrors { try cloud.store.restore(SnapshotName(snapshot), for: request) }
  }

  /// The names of the saved states.
  public var snapshots: [String] {
    get throws { try ckErrors { try cloud.store.snapshotNames().map(\.text) } }
  }
}

extension LocalCloud.Difference {
  fileprivate init(_ difference: RecordDifference) {
    let zoneID = CKRecordZone.ID(
      zoneName: difference.zone.name.text, ownerName: difference.zone.owner.text)
    self.zoneID = zoneID
    recordID = difference.record.map { CKRecord.ID(recordName: $0.text, zoneID: zoneID) }
    key = difference.subject.name
    expected = difference.expected.map(\.text)
    found = difference.found.map(\.text)
  }
}
