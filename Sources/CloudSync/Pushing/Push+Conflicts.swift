internal import Basics
public import CloudModel
public import CloudServices

/// What to do with a record that was changed on both sides.
public enum ConflictChoice: String, Sendable, CaseIterable {
  /// Leave both as they are.
  case keep
  /// Take the server's version.
  case theirs
  /// Replace the server's version.
  case mine
}

/// A record that was changed on both sides.
public struct ConflictSides: Sendable {
  /// What happened.
  public let conflict: PullConflict
  /// The version here; nil if it is deleted.
  public let here: Record?
  /// The version there; nil if it is deleted.
  public let there: RemoteRecord?
}

extension Push {
  /// Decides on conflicts; returns those that are left.
  func decide(
    _ conflicts: [PullConflict], _ choose: (ConflictSides) throws -> ConflictChoice
  ) throws -> [PullConflict] {
    var kept: [PullConflict] = []
    for zone in Set(conflicts.map(\.zone)).sorted(by: { utf8Precedes($0.text, $1.text) }) {
      let own = conflicts.filter { $0.zone == zone }
      var rest = own[...]
      while !rest.isEmpty {
        let part = Array(rest.prefix(Limits.wireOperations))
        rest = rest.dropFirst(part.count)
        kept += try decide(part, in: zone, choose)
      }
    }
    return kept
  }

  private func decide(
    _ conflicts: [PullConflict], in zone: ZoneID,
    _ choose: (ConflictSides) throws -> ConflictChoice
  ) throws -> [PullConflict] {
    var page = try pageOfAll(conflicts.map(\.name), in: zone)
    var theirs: [RemoteRecord] = []
    var versions: [RecordName: ChangeTag?] = [:]
    var based: [RemoteCopy.Sent] = []
    var kept: [PullConflict] = []
    for conflict in conflicts {
      guard let record = page.records.first(where: { $0.draft.name == conflict.name.text }) else {
        continue
      }
      let here = try copy.record(conflict.name, in: zone)
      let sides = ConflictSides(
        conflict: conflict, here: here, there: record.draft.isDeletion ? nil : record)
      switch try choose(sides) {
      case .keep: kept.append(conflict)
      case .theirs:
        theirs.append(record)
        versions.updateValue(here?.changeTag, forKey: conflict.name)
      case .mine:
        let tag = record.draft.isDeletion ? nil : record.draft.changeTag
        based.append(.based(conflict.name, tag: tag))
      }
    }
    try copy.note(based, in: zone)
    page.records = theirs
    let result = try copy.take(page, overwriting: versions)
    downloads.forget(page)
    summary.taken += result.created + result.changed + result.deleted
    summary.faults += result.faults
    return kept
  }
}
