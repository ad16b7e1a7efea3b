internal import CloudModel
internal import CoreDataModel

/// What the properties of entities become in their records.
final class ObjectProperties {
  private let mirror: MirroredModel
  private var known: [String: [String: Property]] = [:]
  private var long: [String: Set<FieldName>] = [:]

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
    for attribute in mirror.model.attributes(of: entity)
    where attribute.isMirrored && attribute.type.mirroredBase != nil {
      properties[attribute.name] = .attribute(attribute)
    }
    for relationship in mirror.model.relationships(of: entity) where !relationship.isTransient {
      properties[relationship.name] = property(relationship)
    }
    known[entity.name] = properties
    return properties
  }

  private func property(_ relationship: RelationshipDescription) -> Property? {
    if !relationship.isToMany { return .toOne(relationship.name) }
    if let pair = mirror.pair(of: relationship) {
      let side = RelationshipPair.Side(
        entity: relationship.entity, relationship: relationship.name)
      return .pair(pair, isFirst: pair.first == side)
    }
    return mirror.model.inverse(of: relationship).map {
      .toMany(remedy: "set '\($0.name)' of each \($0.entity)")
    }
  }

  /// What an object says about others: the targets of its relationships.
  func claims(
    of object: RecordDraft, _ entity: EntityDescription, _ known: [String: Property]
  ) -> [RelationshipClaim] {
    object.fields.flatMap { property -> [RelationshipClaim] in
      switch known[property.name.text] {
      case .attribute?, .toMany?, nil: return []
      case .toOne?, .pair?: break
      }
      guard
        let relationship = mirror.model.relationships(of: entity).first(where: {
          $0.name == property.name.text
        })
      else { return [] }
      return property.value?.recordNames.map { target in
        RelationshipClaim(
          object: object, relationship: relationship, target: target,
          position: property.position)
      } ?? []
    }
  }

  /// The fields of an entity whose values can move to companions.
  func longFields(of entity: EntityDescription) -> Set<FieldName> {
    if let fields = long[entity.name] { return fields }
    let attributes = mirror.model.attributes(of: entity).filter {
      $0.isMirrored && $0.type.isOfVariableLength
    }
    let fields = Set(attributes.map { MirroredNames.field($0.name) })
    long[entity.name] = fields
    return fields
  }
}
