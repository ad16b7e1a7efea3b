internal import Basics
internal import CloudModel

/// A link between two objects of a many-to-many relationship (E8).
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
