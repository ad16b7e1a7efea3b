internal import Basics
internal import CloudModel
internal import CloudServices
internal import Testing

/// A store made anew of the changes that another one reports, and of nothing else.
final class ReportedRecords: Sendable {
  private let records = Locked<[Place: [String: Record]]>([:])

  /// A zone: which one of which user, in which environment.
  struct Place: Hashable {
    let environment: Environment
    let scope: DatabaseScope
    let zone: ZoneID
  }

  /// Takes a change over, of which the record before must be the one that is here.
  func take(_ change: RecordChange, in environment: Environment) {
    guard let record = change.after ?? change.before else { return }
    let place = Place(environment: environment, scope: change.scope, zone: change.zone)
    records.withLock { records in
      let known = records[place]?[record.name.text]
      if known != change.before { Issue.record("\(place): \(record.name.text)") }
      records[place, default: [:]][record.name.text] = change.after
    }
  }

  /// The records of a zone, in the order of their names' bytes, without those of users.
  func all(in place: Place) -> [Record] {
    records.withLock { $0[place] ?? [:] }.filter { $0.value.type != .users }
      .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value)
  }

  /// The places that have records.
  var places: Set<Place> {
    records.withLock { records in Set(records.filter { !$0.value.isEmpty }.keys) }
  }
}
