internal import Basics
internal import CloudModel
internal import RecordStore

/// The links of a zone: its records of type `CDMR`, one for each pair of related objects (E8).
struct ObjectLinks {
  /// For each record, the targets of its relationships.
  private var targets: [RecordName: [(relationship: String, target: RecordName)]] = [:]
  private var met: [RelationshipPair.Side: Side] = [:]

  /// A to-many relationship that links show.
  struct Side {
    let entity, relationship: String
    /// The entity on the other side.
    let destination: String
    /// A record on this side.
    let record: RecordName
  }

  /// Reads the links of a zone; none for nil.
  init(_ database: CloudDatabase, _ zone: StoredZone?, damaged: DamageReport) throws {
    guard let zone, let table = try database.store.table(MirroredNames.links) else { return }
    try database.store.list(
      zone, type: table, visible: database.visibleRows(of: table, in: zone),
      damaged: { try damaged(CloudError($0)) }
    ) { record in
      if let link = ObjectLink(record) { add(link) }
      return true
    }
  }

  private mutating func add(_ link: ObjectLink) {
    let pair = link.pair
    add(pair.first, to: link.first, leadingTo: link.second, of: pair.second)
    if link.first == link.second, pair.first == pair.second { return }
    add(pair.second, to: link.second, leadingTo: link.first, of: pair.first)
  }

  private mutating func add(
    _ side: RelationshipPair.Side, to record: RecordName, leadingTo target: RecordName,
    of other: RelationshipPair.Side
  ) {
    targets[record, default: []].append((side.relationship, target))
    if met[side] != nil { return }
    met[side] = Side(
      entity: side.entity, relationship: side.relationship, destination: other.entity,
      record: record)
  }

  /// The to-many relationships, in byte order.
  var sides: [Side] {
    met.values.sorted {
      utf8Precedes("\($0.entity):\($0.relationship)", "\($1.entity):\($1.relationship)")
    }
  }

  /// The relationships of a record with their targets, in byte order, each target once.
  func targets(of record: RecordName) -> [(relationship: String, targets: [RecordName])] {
    guard let links = targets[record] else { return [] }
    var grouped: [String: Set<RecordName>] = [:]
    for link in links { grouped[link.relationship, default: []].insert(link.target) }
    return grouped.sorted { utf8Precedes($0.key, $1.key) }.map { relationship, names in
      (relationship, names.sorted { utf8Precedes($0.text, $1.text) })
    }
  }
}
