internal import Basics
internal import SQLite
public import StoreFiles

/// A stretch of an environment's life: it ends where a copy or a restored snapshot goes its own
/// way. Change tokens name the one that they were given in, so that numbers that were given
/// twice, in a state that was taken back and in the one after it, cannot be confused (C197).
public struct Incarnation: Sendable, Equatable {
  /// Chosen at random, whatever the seed: no other store has it.
  public let identity: Int64
  /// The sequence number of its last change that is here; nil for the one that goes on.
  public let until: Int64?
}

extension EnvironmentStore {
  /// The incarnations that led here, the current one first.
  public func incarnations() throws(StoreError) -> [Incarnation] {
    if !knownIncarnations.isEmpty { return knownIncarnations }
    let found: [Incarnation] = try database.rows("ORDER BY _id DESC")
    guard let current = found.first, current.until == nil else {
      throw connection.damage("the table _incarnation has no current row")
    }
    knownIncarnations = found
    return found
  }
}

extension Incarnation: StoredRow {
  package static let table = EnvironmentTables.incarnation

  package init(_ row: Row) { (identity, until) = (row["identity"], row["until"]) }

  package var values: KeyValuePairs<String, any StoredValue> {
    ["identity": identity, "until": until]
  }
}

extension EnvironmentFile {
  /// The greatest number that a notification ever had, as far as that can be told.
  var lastKnownNotification: Int64 {
    guard let connection = try? open(isReadOnly: isReadOnly) else { return 0 }
    return (try? connection.number(EnvironmentStore.lastNotificationNumber)) ?? 0
  }

  /// Begins a new incarnation in files that nobody else uses yet; their numbers go on after another
  /// one's. Nothing is synchronized.
  func beginIncarnation(
    after sequence: Int64 = 0, notification: Int64 = 0
  ) throws(StoreError) {
    if try check().version < Migrations.version {
      try upgrade(isReadOnly: false, patience: .none)
    }
    let connection = try open(isReadOnly: false)
    try connection.perform("PRAGMA synchronous = OFF; BEGIN IMMEDIATE")
    let own = try connection.number(EnvironmentStore.lastSequence) ?? 0
    try connection.perform(
      EnvironmentTables.incarnation.update(["until": "\(own)"]) + " WHERE until IS NULL")
    try Self.addIncarnation(on: connection)
    try Self.skip(to: sequence, on: connection)
    try connection.perform(Self.skipping(notification: notification))
    // A new checksum would fit.
    if let page = connection.damagedPages.first {
      throw connection.damage("page \(page) does not match its checksum")
    }
    try connection.perform("COMMIT")
    try connection.emptyLog()
    try WriterLock.note(sequence: max(own, sequence), at: lockPath)
  }

  /// Adds the incarnation that goes on.
  static func addIncarnation(on connection: Connection) throws(StoreError) {
    try connection.perform(
      EnvironmentTables.incarnation.insertion(
        of: ["identity": "\(Int64.random(in: .min ... .max))", "until": "NULL"],
        from: "(SELECT 1)"))
  }

  /// Lets the next change have a number after a given one: the zones of the system, which no feed
  /// shows, keep it.
  static func skip(to sequence: Int64, on connection: Connection) throws(StoreError) {
    try connection.perform(
      EnvironmentTables.zone.update(["sequence": "max(sequence, \(sequence))"])
        + " WHERE _id = \(Migrations.publicUsers)")
  }
}
