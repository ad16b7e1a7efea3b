internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import SQLite
internal import StoreFiles

/// The subscriptions of an environment, ready for matching. It is kept from one transaction to the
/// next, until the schema changes. Subscriptions that this process makes or deletes are updated in
/// place.
final class SubscriptionIndex {
  /// The number of the schema that it was made for.
  private(set) var version: Int64
  /// The subscriptions, in the order in which they were made.
  private(set) var entries: [Entry]
  /// Whether matching depends on more than records; the index is then rebuilt for each transaction.
  private(set) var isVolatile: Bool
  /// Whether faults hold notifications back.
  let hasHeld: Bool
  private var matchers: [Group: QueryMatcher] = [:]

  /// A subscription, and which records a query subscription is about.
  struct Entry {
    let stored: StoredSubscription
    /// Nil without a query, or if its type or fields are gone.
    let selection: RecordSelection?

    /// A query subscription about a type.
    func isQuery(of type: Int64) -> Bool { selection?.table.number == type }
  }

  /// The query subscriptions that one statement matches: those of a type in a database.
  private struct Group: Hashable {
    let type: Int64
    let place: DatabasePlace
  }

  init(version: Int64, _ entries: [Entry], isVolatile: Bool, hasHeld: Bool) {
    (self.version, self.entries) = (version, entries)
    (self.isVolatile, self.hasHeld) = (isVolatile, hasHeld)
    for entry in entries { note(entry) }
  }

  /// The numbers of the types that query subscriptions are about.
  private(set) var types: Set<Int64> = []
  /// The subscriptions that fire when the change feed has news, of zones and databases, by number.
  private(set) var feeds: [StoredSubscription] = []
  /// The subscriptions by user and predicate, which duplicates share.
  private var peers: [Peers: [StoredSubscription]] = [:]

  private struct Peers: Hashable {
    let user: Int64
    let scope: DatabaseScope
    let predicate: String
  }

  private func note(_ entry: Entry) {
    if let type = entry.selection?.table.number { types.insert(type) }
    let stored = entry.stored
    if stored.subscription.kind != .query { feeds.append(stored) }
    peers[Self.peers(of: stored.subscription, stored.user), default: []].append(stored)
  }

  private static func peers(of subscription: Subscription, _ user: Int64) -> Peers {
    Peers(user: user, scope: subscription.scope, predicate: subscription.predicate)
  }

  /// Adds a new subscription; `version` is the number of the schema afterwards.
  func add(_ entry: Entry, isVolatile: Bool, version: Int64) {
    entries.append(entry)
    note(entry)
    if isVolatile { self.isVolatile = true }
    changed(version)
  }

  /// Removes a subscription; `version` is the number of the schema afterwards.
  func remove(_ stored: StoredSubscription, version: Int64) {
    let place = entries.firstPlace { $0.stored.number < stored.number }
    if place < entries.count, entries[place].stored.number == stored.number {
      entries.remove(at: place)
    }
    feeds.removeAll { $0.number == stored.number }
    peers[Self.peers(of: stored.subscription, stored.user)]?.removeAll {
      $0.number == stored.number
    }
    changed(version)
  }

  private func changed(_ version: Int64) {
    self.version = version
    matchers.removeAll()
  }

  /// Another subscription of a user that fires for the same changes; nil for none.
  func duplicate(of subscription: Subscription, by user: StoredUser) -> Subscription? {
    peers[Self.peers(of: subscription, user.number)]?.first {
      $0.subscription.isDuplicate(of: subscription)
    }?.subscription
  }

  /// Matches records of a type in a database; nil if no query subscription is about them.
  func matcher(
    _ type: Int64, in place: DatabasePlace, _ store: EnvironmentStore
  ) throws(StoreError) -> QueryMatcher? {
    guard types.contains(type) else { return nil }
    let group = Group(type: type, place: place)
    if let known = matchers[group] { return known.isEmpty ? nil : known }
    let wanted = entries.indices.filter {
      entries[$0].isQuery(of: type) && place.has(entries[$0].stored)
    }
    let made = try QueryMatcher(wanted.map { ($0, entries[$0]) }, store)
    matchers[group] = made
    return made.isEmpty ? nil : made
  }
}

/// The owner of the database: nil for the public one.
struct DatabasePlace: Hashable {
  let scope: Int64
  let owner: Int64

  /// Whether a subscription is one of this database.
  func has(_ subscription: StoredSubscription) -> Bool {
    guard subscription.subscription.scope.rawValue == Int(scope) else { return false }
    return subscription.subscription.scope == .public || subscription.user == owner
  }
}

/// Finds which records of a type match which query subscriptions: one statement for a record, or
/// for all new records since a number, so that a hundred subscriptions cost little more than one.
final class QueryMatcher {
  private let portions: [Portion]

  /// More conditions in one statement are no faster, and approach SQLite's limits.
  private static let mostConditions = 100

  private struct Portion {
    let statement: Statement
    /// The place of the first number among the statement's bindings.
    let firstNumber: Int
    let members: [Member]
  }

  private struct Member {
    let place: Int
    let entry: SubscriptionIndex.Entry
    /// The evaluators for what SQL cannot decide.
    let needsEvaluator: Bool
  }

  /// A record that matches a subscription.
  struct Match {
    /// The subscription's place in the index.
    let entry: Int
    let number: Int64
    let zone: Int64
    let name: RecordName
    let sequence: Int64
  }

  var isEmpty: Bool { portions.isEmpty }

  init(
    _ entries: [(place: Int, entry: SubscriptionIndex.Entry)], _ store: EnvironmentStore
  ) throws(StoreError) {
    var portions: [Portion] = []
    for start in stride(from: 0, to: entries.count, by: Self.mostConditions) {
      let part = entries[start..<min(entries.count, start + Self.mostConditions)]
      if let portion = try Self.portion(Array(part), store) { portions.append(portion) }
    }
    self.portions = portions
  }

  private static func portion(
    _ entries: [(place: Int, entry: SubscriptionIndex.Entry)], _ store: EnvironmentStore
  ) throws(StoreError) -> Portion? {
    var members: [Member] = []
    var columns = SQLFragment("")
    for (place, entry) in entries {
      guard let selection = entry.selection else { continue }
      let compiled = PredicateCompiler(selection, .byNumber).compile(whole: selection.predicate)
      members.append(Member(place: place, entry: entry, needsEvaluator: !compiled.isExact))
      columns += SQLFragment(", (") + compiled.sql + SQLFragment(")")
    }
    guard let table = entries.first?.entry.selection?.table, !members.isEmpty else { return nil }
    let sql =
      SQLFragment("SELECT t._id, t._zone, t._name, t._sequence") + columns
      + SQLFragment(" FROM \(table.table) t NOT INDEXED WHERE t._id BETWEEN ? AND ?")
    for (_, entry) in entries {
      if let selection = entry.selection { try store.prepareDistance(selection) }
    }
    let statement = try store.connection.query(sql.sql)
    statement.bind(sql.bindings)
    return Portion(
      statement: statement, firstNumber: sql.bindings.count + 1, members: members)
  }

  /// Passes each match among the records with some numbers to `body`.
  func matches(
    in numbers: ClosedRange<Int64>, _ store: EnvironmentStore,
    wanting isWanted: (Int) -> Bool, _ body: (Match) throws(StoreError) -> Void
  ) throws(StoreError) {
    for portion in portions where portion.members.contains(where: { isWanted($0.place) }) {
      let row = portion.statement
      row.bind(numbers.lowerBound, portion.firstNumber)
      row.bind(numbers.upperBound, portion.firstNumber + 1)
      defer { row.reset() }
      while try row.next() {
        for (column, member) in portion.members.enumerated() {
          guard row.int64(4 + column) != 0, isWanted(member.place) else { continue }
          let match = Match(
            entry: member.place, number: row.int64(0), zone: row.int64(1),
            name: RecordName(stored: row.text(2)), sequence: row.int64(3))
          if member.needsEvaluator, try !evaluate(match, member, store) { continue }
          try body(match)
        }
      }
    }
  }

  /// Evaluates what SQL could not decide. Values that cannot be compared do not match.
  private func evaluate(
    _ match: Match, _ member: Member, _ store: EnvironmentStore
  ) throws(StoreError) -> Bool {
    guard let selection = member.entry.selection else { return false }
    let zone = try store.changedZone(match.zone)
    let stored = try store.stored(
      numbered: match.number, type: selection.table.number, in: zone.stored)
    var own = selection
    own.zones = [zone.stored]
    let evaluator = PredicateEvaluator(
      selection.predicate, searched: selection.searched,
      following: RecordFollower(store, own).record,
      checkInterrupt: { try store.checkInterrupt() })
    do { return try evaluator.matches(stored.record) } catch let error as StoreError {
      throw error
    } catch { return false }
  }
}
