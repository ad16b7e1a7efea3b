internal import Basics
internal import SQLite
public import StoreFiles

/// A part of an environment's life. It ends when a copy or a restored snapshot continues on its
/// own. Change tokens name the incarnation in which they were given, so that numbers given twice,
/// in an abandoned state and in the one after it, cannot be confused (C197).
public struct Incarnation: Sendable, Equatable {
  /// Random even with a seed: no other store has it.
  public let identity: Int64
  /// The sequence number of its last change in this file; nil for the current one.
  public let until: Int64?
}

extension EnvironmentStore {
  /// The incarnations of the file, the current one first.
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
  /// The numbers of the last change and notification ever, as far as they are known, while no
  /// process writes the file.
  var lastKnownNumbers: LastNumbers {
    var last = LastNumbers(change: notedSequence)
    guard let connection = try? open(isReadOnly: true) else { return last }
    last.change = max(last.change, (try? lastSequence(connection)) ?? 0)
    let notification = try? connection.number(EnvironmentStore.lastNotificationNumber)
    last.notification = notification ?? 0
    return last
  }

  /// Begins a new incarnation in files that no other process uses yet; numbers continue after those
  /// that were given elsewhere. Synchronizes nothing.
  func beginIncarnation(after last: LastNumbers = LastNumbers()) throws(StoreError) {
    if try check().version < Migrations.version {
      try upgrade(isReadOnly: false, patience: .none)
    }
    let connection = try openAlone()
    try connection.perform("BEGIN IMMEDIATE")
    let own = try connection.number(EnvironmentStore.lastSequence) ?? 0
    try connection.perform(
      EnvironmentTables.incarnation.update(["until": "\(own)"]) + " WHERE until IS NULL")
    try Self.addIncarnation(on: connection)
    try Self.skip(to: last.change, on: connection)
    try connection.perform(Self.skipping(notification: last.notification))
    // A new checksum would match.
    if let page = connection.damagedPages.first {
      throw connection.damage("page \(page) does not match its checksum")
    }
    try connection.perform("COMMIT")
    try connection.emptyLog()
    try WriterLock.note(sequence: max(own, last.change), at: lockPath)
  }

  /// Adds the current incarnation.
  static func addIncarnation(on connection: Connection) throws(StoreError) {
    try connection.perform(
      EnvironmentTables.incarnation.insertion(
        of: ["identity": "\(Int64.random(in: .min ... .max))", "until": "NULL"],
        from: "(SELECT 1)"))
  }

  /// Makes the next change have a number after a given one. The zones of the system, which no feed
  /// shows, store it.
  static func skip(to sequence: Int64, on connection: Connection) throws(StoreError) {
    try connection.perform(
      EnvironmentTables.zone.update(["sequence": "max(sequence, \(sequence))"])
        + " WHERE _id = \(Migrations.publicUsers)")
  }
}
