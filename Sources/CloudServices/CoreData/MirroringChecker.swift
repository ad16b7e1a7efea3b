internal import Basics
internal import CloudModel
internal import CoreDataModel

/// Finds what keeps NSPersistentCloudKitContainer from mirroring a model: the rules that it checks
/// when it loads a store, and what would fail later (E13 to E25).
///
/// Left out are rules that a model file cannot break, or whose condition is not in it: whether a
/// value transformer of the app is registered, and the size of records.
public enum MirroringChecker {
  /// The findings of a model, as Core Data orders them: by rule, then by line without regard to
  /// case. Properties are reported again for each entity that inherits them.
  /// With `isPublic` the store is one of the public database.
  public static func findings(
    in mirror: MirroredModel, isPublic: Bool = false
  ) -> [MirroringFinding] {
    let model = mirror.model
    var relationships: [MirroringFinding] = []
    var attributes: [MirroringFinding] = []
    var entities: [MirroringFinding] = []
    for entity in mirror.entities {
      for relationship in model.relationships(of: entity) {
        relationships += rules(of: relationship, in: mirror).map {
          MirroringFinding($0, entity, relationship.name, at: relationship.position)
        }
      }
      for attribute in model.attributes(of: entity) {
        attributes += rules(of: attribute, isPublic: isPublic).map {
          MirroringFinding($0, entity, attribute.name, at: attribute.position)
        }
      }
      entities += entity.uniquenessConstraints.map {
        MirroringFinding(.unique($0), entity, nil)
      }
    }
    return sorted(relationships + attributes + entities) + mirror.conflicts
  }

  /// What keeps a container from migrating a store from an older version of the model: renamed
  /// entities and relationships, which older devices would not find. None if the older version
  /// could not be mirrored anyway.
  public static func findings(
    in mirror: MirroredModel, migratingFrom older: MirroredModel
  ) -> [MirroringFinding] {
    guard findings(in: older).isEmpty else { return [] }
    let old = older.model
    let entities = mirror.entities.compactMap { entity -> MirroringFinding? in
      guard let name = entity.renamingIdentifier, !utf8Equal(name, entity.name),
        old[name] != nil, mirror.model[name] == nil
      else { return nil }
      return MirroringFinding(.renamedEntity(from: name), entity, nil)
    }
    let relationships = mirror.entities.flatMap { entity in
      let known = old[entity.renamingIdentifier ?? entity.name] ?? old[entity.name]
      return entity.relationships.compactMap { relationship -> MirroringFinding? in
        guard let name = relationship.renamingIdentifier, !utf8Equal(name, relationship.name),
          known?.relationships.contains(where: { utf8Equal($0.name, name) }) == true,
          !entity.relationships.contains(where: { utf8Equal($0.name, name) })
        else { return nil }
        return MirroringFinding(
          .renamedRelationship(from: name), entity, relationship.name, at: relationship.position)
      }
    }
    return entities + relationships + changes(from: older, to: mirror)
  }

  /// Fields and record types that change between versions (E25).
  private static func changes(
    from older: MirroredModel, to mirror: MirroredModel
  ) -> [MirroringFinding] {
    var findings: [MirroringFinding] = []
    for entity in mirror.entities {
      guard let known = older.model[entity.name], older.mirrors(entity.name) else { continue }
      let (old, new) = (older.recordType(of: known), mirror.recordType(of: entity))
      if old != new {
        findings.append(MirroringFinding(.movedEntity(from: old, to: new), entity, nil))
      }
      let fields = older.fieldTypes(of: known)
      for attribute in entity.attributes where attribute.isMirrored {
        let name = MirroredNames.field(attribute.name)
        guard let type = attribute.mirroredType, let before = fields[name], before != type else {
          continue
        }
        findings.append(
          MirroringFinding(
            .retypedField(name, from: before, to: type), entity, attribute.name,
            at: attribute.position))
      }
    }
    return findings
  }

  private static func rules(
    of relationship: RelationshipDescription, in mirror: MirroredModel
  ) -> [MirroringRule] {
    var rules: [MirroringRule] = []
    if mirror.model.inverse(of: relationship) == nil { rules.append(.noInverse) }
    if relationship.isOrdered { rules.append(.ordered) }
    if !relationship.isOptional { rules.append(.requiredRelationship) }
    if let destination = relationship.destination, !mirror.mirrors(destination) {
      rules.append(.otherConfiguration(destination: destination))
    }
    if relationship.userInfo.saysIgnored { rules.append(.ignoredRelationship) }
    if relationship.deleteRule == .deny { rules.append(.deny) }
    return rules
  }

  private static func rules(
    of attribute: AttributeDescription, isPublic: Bool
  ) -> [MirroringRule] {
    var rules: [MirroringRule] = []
    if isPublic, attribute.allowsCloudEncryption { rules.append(.encryptedInPublic) }
    if !attribute.isOptional {
      if attribute.isIgnored { rules.append(.requiredIgnored) }
      if attribute.defaultValue == nil { rules.append(.requiredAttribute) }
    }
    if attribute.type.mirroredBase == nil { rules.append(.unsupportedType(attribute.type)) }
    if attribute.type == .transformable,
      let name = attribute.valueTransformerName, oneWayTransformers.contains(name)
    {
      rules.append(.oneWayTransformer)
    }
    return rules
  }

  /// Foundation's own transformers that cannot be reversed (NSValueTransformerName).
  private static let oneWayTransformers: Set = ["NSIsNil", "NSIsNotNil"]

  private static func sorted(_ findings: [MirroringFinding]) -> [MirroringFinding] {
    let keyed = findings.map { ($0, $0.rule.rank, $0.line.lowercased()) }
    return keyed.sorted { $0.1 != $1.1 ? $0.1 < $1.1 : utf8Precedes($0.2, $1.2) }.map(\.0)
  }
}

extension MirroringRule {
  /// The place of the rule's findings in Core Data's message.
  fileprivate var rank: Int {
    switch self {
    case .noInverse: 1
    case .ordered: 2
    case .requiredAttribute: 3
    case .requiredRelationship: 4
    case .unsupportedType: 5
    case .oneWayTransformer: 6
    case .otherConfiguration: 7
    case .requiredIgnored: 8
    case .ignoredRelationship: 9
    case .deny: 10
    case .unique: 11
    case .renamedEntity: 12
    case .renamedRelationship: 13
    case .retypedField: 14
    case .movedEntity: 15
    case .encryptedInPublic: 16
    case .reservedName: 17
    case .fieldConflict: 18
    case .invalidName: 19
    }
  }
}
