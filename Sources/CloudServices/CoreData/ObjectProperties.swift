internal import CoreDataModel

/// What the properties of entities become in their records.
final class ObjectProperties {
  private let mirror: MirroredModel
  private var known: [String: [String: Property]] = [:]

  /// A property of an entity.
  enum Property {
    case attribute(AttributeDescription)
    case toOne(String)
    /// A side of a many-to-many relationship: the first or the second of a link.
    case pair(RelationshipPair, isFirst: Bool)
    /// A relationship that the other side's records express, with the remedy.
    case toMany(remedy: String)
  }

  init(_ mirror: MirroredModel) { self.mirror = mirror }

  /// The mirrored properties of an entity, by name.
  func of(_ entity: EntityDescription) -> [String: Property] {
    if let known = known[entity.name] { return known }
    var properties: [String: Property] = [:]
    for attribute in mirror.model.attributes(of: entity) where attribute.isMirrored {
      properties[attribute.name] = .attribute(attribute)
    }
    for relationship in mirror.model.relationships(of: entity) where !relationship.isTransient {
      if !relationship.isToMany {
        properties[relationship.name] = .toOne(relationship.name)
      } else if let pair = mirror.pair(of: relationship) {
        let side = RelationshipPair.Side(
          entity: relationship.entity, relationship: relationship.name)
        properties[relationship.name] = .pair(pair, isFirst: pair.first == side)
      } else if let inverse = mirror.model.inverse(of: relationship) {
        properties[relationship.name] = .toMany(
          remedy: "set '\(inverse.name)' of each \(inverse.entity)")
      }
    }
    known[entity.name] = properties
    return properties
  }
}

extension MirroredModel {
  /// The many-to-many relationship that a relationship is a side of.
  func pair(of relationship: RelationshipDescription) -> RelationshipPair? {
    guard relationship.isToMany, let inverse = model.inverse(of: relationship), inverse.isToMany
    else { return nil }
    return RelationshipPair(relationship, inverse)
  }
}
