internal import Basics
public import CloudModel
public import CoreDataModel

/// A Core Data model as NSPersistentCloudKitContainer mirrors it to CloudKit: which record types
/// and fields its entities have.
///
/// The rules are E1 to E12.
public struct MirroredModel: Sendable {
  /// The model.
  public let model: ManagedObjectModel
  /// The entities that are mirrored, in the order of the model.
  public let entities: [EntityDescription]
  /// The record types, in the order of their root entities.
  public let types: [MirroredType]
  /// Whether there are many-to-many relationships, whose links are records of the type `CDMR`.
  public let hasLinks: Bool
  /// What the schema leaves out, as no schema can express it.
  public let conflicts: [MirroringFinding]

  private let entityNames: Set<String>

  /// Selects the entities of a configuration, or all. Throws `invalidArguments`, in Core Data's
  /// words, for a configuration that is unknown or empty.
  public init(_ model: ManagedObjectModel, configuration: String? = nil) throws(CloudError) {
    self.model = model
    entities = try Self.entities(of: model, in: configuration)
    let names = Set(entities.map(\.name))
    entityNames = names
    var builder = MirroredTypeBuilder(model)
    for entity in entities { builder.add(entity) }
    (types, conflicts) = (builder.types, builder.conflicts)
    hasLinks = entities.contains { entity in
      entity.relationships.contains { Self.pair(of: $0, in: model, names) != nil }
    }
  }

  /// The many-to-many relationship that a relationship is a side of (E8).
  func pair(of relationship: RelationshipDescription) -> RelationshipPair? {
    Self.pair(of: relationship, in: model, entityNames)
  }

  private static func pair(
    of relationship: RelationshipDescription, in model: ManagedObjectModel,
    _ entities: Set<String>
  ) -> RelationshipPair? {
    guard relationship.isToMany, !relationship.isTransient,
      let inverse = model.inverse(of: relationship), inverse.isToMany,
      entities.contains(inverse.entity)
    else { return nil }
    return RelationshipPair(relationship, inverse)
  }

  private static func entities(
    of model: ManagedObjectModel, in configuration: String?
  ) throws(CloudError) -> [EntityDescription] {
    guard let configuration else { return model.entities }
    let known = model.configurations
    guard let found = known.first(where: { utf8Equal($0.name, configuration) }) else {
      throw CloudError(
        .invalidArguments,
        "Unable to find a configuration named '\(configuration.visible)' in the specified managed "
          + "object model.",
        remedy: .nearest(to: configuration, among: known.map(\.name)))
    }
    let names = Set(found.entities)
    let entities = model.entities.filter { names.contains($0.name) }
    guard !entities.isEmpty else {
      throw CloudError(
        .invalidArguments,
        "The configuration named '\(configuration.visible)' does not contain any entities.")
    }
    return entities
  }

  /// Whether an entity is mirrored.
  func mirrors(_ entity: String) -> Bool { entityNames.contains(entity) }

  /// The record type of an entity's records (E1).
  public func recordType(of entity: EntityDescription) -> RecordType {
    RecordType(stored: MirroredNames.prefix + model.root(of: entity).name)
  }

  /// The types of the fields of an entity's attributes.
  func fieldTypes(of entity: EntityDescription) -> [FieldName: FieldType] {
    var types: [FieldName: FieldType] = [:]
    for attribute in model.attributes(of: entity) where attribute.isMirrored {
      types[MirroredNames.field(attribute.name)] = attribute.mirroredType
    }
    return types
  }

  // MARK: Schema

  /// The two ways in which the container creates a schema (E6).
  public enum Shape: String, Sendable, CaseIterable {
    /// `initializeCloudKitSchema`: with the companions of large values, and move receipts.
    case initialize
    /// By running the app: without what no record has needed yet.
    case justInTime = "just-in-time"
  }

  /// The schema that the container creates from the model; `isPublic` adds the indexes that the
  /// public database needs, which the container polls by query.
  public func schema(_ shape: Shape, isPublic: Bool = false) -> Schema {
    let types = types.map { type in
      let fields = type.fields.lazy.filter { shape == .initialize || !$0.isCreatedOnDemand }
      return RecordTypeSchema(
        name: type.name,
        fields: fields.map(\.schema).sorted { utf8Precedes($0.name.text, $1.name.text) },
        systemIndexes: isPublic ? Self.publicIndexes : [:])
    }
    let links = hasLinks ? [Self.linkType(isPublic: isPublic)] : []
    let users = RecordTypeSchema(
      name: .users, fields: [FieldSchema(name: .roles, type: .ofRoles, indexes: [])],
      grants: .ofUsers)
    return Schema(types: types + links + [users])
  }

  /// The indexes that the public database needs (E12).
  private static let publicIndexes: SmallMap<SystemKey, FieldIndexes> = [
    .recordName: .queryable, .modificationDate: .queryable,
  ]

  /// The type of the links of many-to-many relationships.
  private static func linkType(isPublic: Bool) -> RecordTypeSchema {
    let type = FieldType(.string)
    let names = [MirroredNames.linkEntities, MirroredNames.linkRecords, MirroredNames.linkNames]
    return RecordTypeSchema(
      name: MirroredNames.links,
      fields: names.map { FieldSchema(name: $0, type: type, indexes: type.mirroredIndexes) },
      systemIndexes: isPublic ? publicIndexes : [:])
  }
}

/// A record type of the mirror: the entities that share a root.
public struct MirroredType: Sendable {
  /// The type.
  public let name: RecordType
  /// The position of the root's element.
  public let position: TextPosition
  /// The fields, in the order of the model.
  public internal(set) var fields: [MirroredField]
}

/// A field of a record type of the mirror.
public struct MirroredField: Sendable {
  /// The field.
  public let schema: FieldSchema
  /// What it is for.
  public let purpose: Purpose
  /// The position of its property's element; nil for a field that Core Data adds.
  public let position: TextPosition?

  /// What a field is for.
  public enum Purpose: Sendable, Equatable {
    /// The name of the record's entity.
    case entityName
    case attribute
    /// The target of a to-one relationship: a record's name.
    case relationship
    /// The values of an attribute that are too large for the record.
    case companion
    /// An archive that Core Data writes when it moves a record to a zone that is shared.
    case moveReceipt
  }

  /// Whether a container creates it only when a record needs it, unless it initializes the schema.
  var isCreatedOnDemand: Bool { purpose == .companion || purpose == .moveReceipt }
}

/// The names of Core Data's mirror.
enum MirroredNames {
  static let prefix = "CD_"
  static let companionSuffix = "_ckAsset"
  static let entityName = FieldName(stored: "CD_entityName")
  static let moveReceipt = FieldName(stored: "CD_moveReceipt")

  /// The type of the links of many-to-many relationships, and its fields.
  static let links = RecordType(stored: "CDMR")
  static let olderLinksPrefix = "CD_M2M_"
  static let linkEntities = FieldName(stored: "CD_entityNames")
  static let linkRecords = FieldName(stored: "CD_recordNames")
  static let linkNames = FieldName(stored: "CD_relationships")

  static func field(_ property: String) -> FieldName { FieldName(stored: prefix + property) }

  static func companion(of field: FieldName) -> FieldName {
    FieldName(stored: field.text + companionSuffix)
  }
}

extension DatabaseScope {
  /// The zone that Core Data's mirror uses (E11).
  public var zoneOfCoreData: ZoneID {
    self == .public ? .defaultZone : ZoneID(stored: "com.apple.coredata.cloudkit.zone")
  }
}
