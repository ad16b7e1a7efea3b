internal import Basics
internal import CloudModel

/// The links of a zone: its records of type `CDMR`, one for each pair of related objects.
struct ObjectLinks {
  /// For each record, the targets of its relationships.
  private var targets: [RecordName: [(relationship: String, target: RecordName)]] = [:]
  /// The sides of relationships, each with the entity on the other.
  private var sides: [RelationshipPair.Side: String] = [:]

  /// Reads the links of a zone.
  init(_ database: CloudDatabase, _ zone: ZoneID) throws(CloudError) {
    guard try database.environment.schema(of: MirroredNames.links) != nil else { return }
    try database.list(MirroredNames.links, in: zone) { record in
      if let link = ObjectLink(record) { add(link) }
      return true
    }
  }

  private mutating func add(_ link: ObjectLink) {
    let pair = link.pair
    sides[pair.first] = pair.second.entity
    sides[pair.second] = pair.first.entity
    targets[link.first, default: []].append((pair.first.relationship, link.second))
    if link.first == link.second, pair.first.relationship == pair.second.relationship { return }
    targets[link.second, default: []].append((pair.second.relationship, link.first))
  }

  /// The to-many relationships of an entity, in byte order.
  func relationships(of entity: String) -> [String] {
    sides.keys.filter { utf8Equal($0.entity, entity) }.map(\.relationship)
      .sorted(by: utf8Precedes)
  }

  /// The entity that a to-many relationship leads to.
  func destination(of relationship: String, in entity: String) -> String? {
    sides[RelationshipPair.Side(entity: entity, relationship: relationship)]
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

/// A link between two objects of a many-to-many relationship.
struct ObjectLink: Hashable {
  let pair: RelationshipPair
  /// The records on the sides of the pair.
  let first, second: RecordName

  init(_ pair: RelationshipPair, _ first: RecordName, _ second: RecordName) {
    self.pair = pair
    // The sides of a relationship that is its own inverse have no order.
    let isInOrder = pair.first != pair.second || !utf8Precedes(second.text, first.text)
    (self.first, self.second) = isInOrder ? (first, second) : (second, first)
  }

  /// The link of a record; nil for a record that Core Data skips: each field must have two parts.
  init?(_ record: Record) {
    func parts(_ field: FieldName) -> (String, String)? {
      guard case .string(let text)? = record.fields[field] else { return nil }
      let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      return parts.count == 2 && !parts.contains("") ? (parts[0], parts[1]) : nil
    }
    guard let entities = parts(MirroredNames.linkEntities),
      let records = parts(MirroredNames.linkRecords),
      let relationships = parts(MirroredNames.linkNames)
    else { return nil }
    let pair = RelationshipPair(
      first: .init(entity: entities.0, relationship: relationships.0),
      second: .init(entity: entities.1, relationship: relationships.1))
    self.init(pair, RecordName(stored: records.0), RecordName(stored: records.1))
  }

  /// The fields of the link's record.
  var fields: [(name: FieldName, text: String)] {
    [
      (MirroredNames.linkEntities, "\(pair.first.entity):\(pair.second.entity)"),
      (MirroredNames.linkRecords, "\(first.text):\(second.text)"),
      (MirroredNames.linkNames, "\(pair.first.relationship):\(pair.second.relationship)"),
    ]
  }

  /// The name of a new record of the link: a UUID, as Core Data's, but always the same for a link,
  /// so that an import can be repeated.
  var name: String { Randomness.seeded(0).uuid(purpose: fields.map(\.text)) }
}
