internal import Basics
public import CloudModel
internal import SQLite
public import StoreFiles

/// Records of a zone that are deleted together: the requested records and those whose deleteSelf
/// references lead to one of them (R5.4–R5.6). It must be used within a write transaction.
///
/// A deletion may include a hundred thousand others. Each takes its name and three numbers of
/// memory.
public struct DoomedRecords {
  let store: EnvironmentStore
  let zone: StoredZone
  /// In the order of their deletion: targets before the records that refer to them.
  private(set) var records: [Doomed] = []
  private var places: [Int64: Int] = [:]
  /// Links from other records, which may remain.
  private var claims: [Claim] = []
  private var connection: Connection { store.connection }

  /// A record that is to be deleted.
  struct Doomed {
    let number: Int64
    let type: Int64
    let name: RecordName
    /// How many records it takes along by their deleteSelf references.
    var sources = 0
    /// How many of these records take it along.
    var links = 0
  }

  /// A link to a doomed record that forbids its deletion, unless its source is deleted, too.
  private struct Claim {
    let place: Int
    let kind: RecordLink.Kind
    let source: Int64
    let type: Int64
    let name: RecordName
  }

  /// Why a record must remain: it is the parent (R5.9) of a record that remains, or validated by it
  /// (R5.1).
  public struct Objection {
    /// The record's number.
    public let number: Int64
    /// The record's name.
    public let target: RecordName
    /// The other record's name.
    public let source: RecordName
    /// Whether the other record is its child.
    public let isParent: Bool
  }

  /// Begins without records.
  public init(in zone: StoredZone, of store: EnvironmentStore) {
    self.store = store
    self.zone = zone
  }

  /// Finds all records that must be deleted with given ones.
  public init(
    _ roots: [StoredRecord], in zone: StoredZone, of store: EnvironmentStore
  ) throws(StoreError) {
    self.init(in: zone, of: store)
    for root in roots.sorted(by: { $0.number < $1.number }) { add(root) }
    try addDependents()
  }

  /// Adds a record, without those that must be deleted with it.
  public mutating func add(_ record: StoredRecord) {
    add(Doomed(number: record.number, type: record.type, name: record.record.name))
  }

  mutating func add(_ record: Doomed) {
    guard places[record.number] == nil else { return }
    places[record.number] = records.count
    records.append(record)
  }

  /// Their names, in the order of their deletion.
  public var names: [RecordName] { records.map(\.name) }

  /// Whether the record with a number is among these.
  func contains(_ number: Int64) -> Bool { places[number] != nil }

  /// Whether a record refers to one of these by a link that matters.
  public func areTargets() throws(StoreError) -> Bool {
    let link = try connection.prepared(
      "SELECT 1 FROM _reference WHERE zone = ? AND target = ? LIMIT 1")
    link.bind(zone.number, 1)
    for record in records {
      link.bind(record.name.text, 2)
      if try link.next() {
        link.reset()
        return true
      }
    }
    return false
  }

  /// Adds one generation after the other.
  private mutating func addDependents() throws(StoreError) {
    var first = 0
    while first < records.count {
      let end = records.count
      for place in first..<end { try addSources(of: place) }
      records[end...].sort { $0.number < $1.number }
      for place in end..<records.count { places[records[place].number] = place }
      first = end
    }
  }

  /// Follows the links to a record: adds the records to delete with it, and notes those that forbid
  /// its deletion.
  private mutating func addSources(of place: Int) throws(StoreError) {
    let links = try sources(of: records[place].name)
    while try links.next() {
      let (source, type) = (links.int64(1), links.int64(2))
      if let kind = RecordLink.Kind(rawValue: links.int64(0)), kind != .deleteSelf {
        let name = RecordName(stored: links.text(3))
        claims.append(Claim(place: place, kind: kind, source: source, type: type, name: name))
        continue
      }
      records[place].sources += 1
      if let known = places[source] {
        records[known].links += 1
      } else {
        add(
          Doomed(number: source, type: type, name: RecordName(stored: links.text(3)), links: 1))
      }
    }
  }

  /// The links to a record: kind, source, type, name.
  private func sources(of target: RecordName) throws(StoreError) -> Statement {
    let links = try connection.prepared(
      """
      SELECT kind, source, type, name FROM _reference WHERE zone = ? AND target = ?
      ORDER BY kind, source
      """)
    links.bind(zone.number, 1)
    links.bind(target.text, 2)
    return links
  }

  // MARK: Conflicts

  /// The records that must remain, each with one reason, except those that only records of `type`
  /// need, which are all deleted.
  public func objections(exceptBy type: TypeTable?) -> [Objection] {
    var objections: [Objection] = []
    for claim in claims where claim.type != type?.number && places[claim.source] == nil {
      let target = records[claim.place]
      let isParent = claim.kind == .parent
      if let last = objections.last, last.number == target.number {
        // Reasons by a parent come first, and links of a record last.
        if last.isParent || !isParent { continue }
        objections.removeLast()
      }
      objections.append(
        Objection(
          number: target.number, target: target.name, source: claim.name, isParent: isParent))
    }
    return objections
  }

  /// For each record, the numbers of those that take it along.
  public func killers() throws(StoreError) -> [Int64: [Int64]] {
    var killers: [Int64: [Int64]] = [:]
    for record in records where record.sources > 0 {
      let links = try sources(of: record.name)
      while try links.next() {
        guard links.int64(0) == RecordLink.Kind.deleteSelf.rawValue else { continue }
        killers[links.int64(1), default: []].append(record.number)
      }
    }
    return killers
  }
}
