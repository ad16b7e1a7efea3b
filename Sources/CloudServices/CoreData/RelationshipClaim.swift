internal import Basics
internal import CloudModel
internal import CoreDataModel
internal import RecordStore

/// What an imported object says about another: that it is the target of a relationship. The target
/// need not exist, as records arrive in any order (E7).
struct RelationshipClaim {
  let record: String?
  let zone: String?
  let zoneOwner: String?
  let relationship: RelationshipDescription
  let target: RecordName
  let position: TextPosition

  init(
    object: RecordDraft, relationship: RelationshipDescription, target: RecordName,
    position: TextPosition
  ) {
    record = object.name
    zone = object.zone
    zoneOwner = object.zoneOwner
    self.relationship = relationship
    self.target = target
    self.position = position
  }

  /// The fault of a target that exists but cannot be one: of another entity, or the other side of a
  /// one-to-one relationship with another object. Nil for none.
  func fault(in mirror: MirroredModel, _ importer: RecordImporter) throws -> ImportFault? {
    var draft = RecordDraft()
    (draft.zone, draft.zoneOwner) = (zone, zoneOwner)
    guard let zone = try importer.storedZone(of: draft),
      let other = try importer.store.record(target, in: zone)?.record,
      let reason = reason(against: other, in: mirror)
    else { return nil }
    return ImportFault(
      CloudError(.invalidArguments, "'\(relationship.name)': \(reason)", recordName: record),
      at: position)
  }

  private func reason(against other: Record, in mirror: MirroredModel) -> String? {
    let name = other.name.text.visible
    guard case .string(let entity)? = other.fields[MirroredNames.entityName],
      let known = mirror.model[entity]
    else { return "'\(name)' is not an object" }
    let kinds = mirror.model.lineage(of: known).map(\.name)
    if let destination = relationship.destination, !kinds.contains(destination) {
      return "'\(name)' is of the entity '\(entity)', expected '\(destination)'"
    }
    guard !relationship.isToMany, let inverse = mirror.model.inverse(of: relationship),
      !inverse.isToMany
    else { return nil }
    if case .string(let back)? = other.fields[MirroredNames.field(inverse.name)],
      utf8Equal(back, record ?? "")
    {
      return nil
    }
    return "the other side must have it, too: '\(inverse.name)' of '\(name)'"
  }
}

extension FieldValue {
  /// The names of records in it, as strings or references.
  var recordNames: [RecordName] {
    switch self {
    case .string(let name): [RecordName(stored: name)]
    case .reference(let reference): [reference.name]
    case .list(let members): members.flatMap(\.recordNames)
    case .int64, .double, .timestamp, .bytes, .location, .asset: []
    }
  }
}
