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
    return try sql { () throws(SQLiteError) in
      let rows = try connection.transientStatement(
        """
        SELECT identity, until, \(RowSeal.fits("_incarnation")) FROM _incarnation
        ORDER BY _id DESC
        """
      )
      while try rows.step() {
        try RowSeal.require(rows, 2, of: "_incarnation")
        knownIncarnations.append(
          Incarnation(
            identity: rows.int64(0), until: rows.isNull(1) ? nil : rows.int64(1)))
      }
      guard knownIncarnations.first?.until == nil, !knownIncarnations.isEmpty else {
        throw SQLiteError(code: 11, message: "the table _incarnation has no current row")
      }
      return knownIncarnations
    }
  }
}

extension EnvironmentFile {
  /// The greatest number that a notification ever had, as far as that can be told.
  var lastKnownNotification: Int64 {
    guard let connection = try? open(isReadOnly: isReadOnly) else { return 0 }
    return (try? connection.integer(EnvironmentStore.lastNotificationNumber)) ?? 0
  }

  /// Begins a new incarnation in files that nobody else uses yet; their numbers go on after another
  /// one's. Nothing is synchronized.
  func beginIncarnation(
    after sequence: Int64 = 0, notification: Int64 = 0
  ) throws(StoreError) {
    if try check().version < Migrations.version {
      try upgrade(isReadOnly: false, waitMilliseconds: 0)
    }
    let connection = try open(isReadOnly: false)
    let last = try sql { () throws(SQLiteError) in
      try connection.execute("PRAGMA synchronous = OFF; BEGIN IMMEDIATE")
      let own = try connection.integer(EnvironmentStore.lastSequence) ?? 0
      try connection.execute(
        """
        UPDATE _incarnation SET until = \(own), seal = ckdb_seal(identity, \(own))
        WHERE until IS NULL
        """)
      try Self.addIncarnation(on: connection)
      try Self.skip(to: sequence, on: connection)
      try connection.execute(Self.skipping(notification: notification))
      // A new checksum would fit.
      if let page = connection.damagedPages.first {
        throw SQLiteError(code: 11, message: "page \(page) does not match its checksum")
      }
      try connection.execute("COMMIT")
      try connection.checkpoint(.truncate)
      return max(own, sequence)
    }
    try WriterLock.note(sequence: last, at: lockPath)
  }

  /// Adds the incarnation that goes on.
  static func addIncarnation(on connection: Connection) throws(SQLiteError) {
    let identity = Int64.random(in: .min ... .max)
    try connection.execute(
      """
      INSERT INTO _incarnation(identity, until, seal)
      VALUES (\(identity), NULL, ckdb_seal(\(identity), NULL))
      """)
  }

  /// Lets the next change have a number after a given one: the zones of the system, which no feed
  /// shows, keep it.
  static func skip(to sequence: Int64, on connection: Connection) throws(SQLiteError) {
    try connection.execute(
      """
      UPDATE _zone SET sequence = max(sequence, \(sequence)),
        seal = ckdb_seal(scope, owner, name, made, max(sequence, \(sequence)), records, checksum,
        bytes, client) WHERE _id = \(Migrations.publicUsers)
      """)
  }
}
