internal import Basics
public import CloudModel
public import CoreDataModel

/// Something in a model that keeps NSPersistentCloudKitContainer from mirroring it.
public struct MirroringFinding: Sendable, Equatable {
  /// The rule.
  public let rule: MirroringRule
  /// The entity whose objects it concerns; a sub-entity for an inherited property, too.
  public let entity: String
  /// The attribute or relationship; nil for the entity as a whole.
  public let property: String?
  /// The position of its element.
  public let position: TextPosition

  init(
    _ rule: MirroringRule, _ entity: EntityDescription, _ property: String?,
    at position: TextPosition? = nil
  ) {
    self.rule = rule
    self.entity = entity.name
    self.property = property
    self.position = position ?? entity.position
  }

  /// The message: Core Data's heading for all findings of the rule, and its line for this one.
  public var message: String { "\(rule.heading) \(line)" }

  /// The line under the heading.
  public var line: String {
    if case .renamedEntity(let old) = rule {
      return "'\(old)' to '\(entity)'. Older devices can't process the new records"
    }
    let subject = property.map { "\(entity)\(rule.separator)\($0)" } ?? entity
    return subject + rule.detail
  }
}

/// The rules of mirroring (E13 to E25), in the order in which Core Data reports them; the later
/// ones are ours.
public enum MirroringRule: Sendable, Equatable {
  case noInverse
  case ordered
  case requiredAttribute
  case requiredRelationship
  case unsupportedType(AttributeType)
  case oneWayTransformer
  case otherConfiguration(destination: String)
  case requiredIgnored
  case ignoredRelationship
  case deny
  case unique([String])
  case renamedEntity(from: String)
  case renamedRelationship(from: String)
  /// The field has another type in a version of the model.
  case retypedField(FieldName, from: FieldType, to: FieldType)
  /// The entity has another root, and so another record type, in a version of the model.
  case movedEntity(from: RecordType, to: RecordType)
  /// The public database refuses encrypted fields (R1.3.13).
  case encryptedInPublic
  /// The property needs a field that Core Data uses itself.
  case reservedName(FieldName)
  /// Two properties need a field with the same name but different types.
  case fieldConflict(FieldName, FieldType, FieldType, other: String)
  /// No record type or field can have the name.
  case invalidName

  /// A short name for scripts.
  public var code: String {
    switch self {
    case .noInverse: "no-inverse"
    case .ordered: "ordered"
    case .requiredAttribute: "required-attribute"
    case .requiredRelationship: "required-relationship"
    case .unsupportedType: "unsupported-type"
    case .oneWayTransformer: "one-way-transformer"
    case .otherConfiguration: "other-configuration"
    case .requiredIgnored: "required-ignored"
    case .ignoredRelationship: "ignored-relationship"
    case .deny: "deny"
    case .unique: "unique"
    case .renamedEntity: "renamed-entity"
    case .renamedRelationship: "renamed-relationship"
    case .retypedField: "retyped-field"
    case .movedEntity: "moved-entity"
    case .encryptedInPublic: "encrypted-in-public"
    case .reservedName: "reserved-name"
    case .fieldConflict: "field-conflict"
    case .invalidName: "invalid-name"
    }
  }

  /// Core Data's heading, as its error 134060 has it, and 134110 for renamed entities.
  public var heading: String {
    let requires = "CloudKit integration requires that all"
    return switch self {
    case .noInverse: "\(requires) relationships have an inverse, the following do not:"
    case .ordered:
      "CloudKit integration does not support ordered relationships. The following relationships "
        + "are marked ordered:"
    case .requiredAttribute:
      "\(requires) attributes be optional, or have a default value set. The following attributes "
        + "are marked non-optional but do not have a default value:"
    case .requiredRelationship: "\(requires) relationships be optional, the following are not:"
    case .unsupportedType:
      "CloudKit integration does not support all attribute types. The following entities have "
        + "attributes of an unsupported type:"
    case .oneWayTransformer:
      "CloudKit integration requires that the value transformers for transformable attributes are "
        + "available via +[NSValueTransformer valueTransformerForName:] and allow reverse "
        + "transformation:"
    case .otherConfiguration:
      "CloudKit integration does not allow relationships to objects that aren't sync'd. The "
        + "following relationships have destination entities that not in the specified "
        + "configuration."
    case .requiredIgnored:
      "The following attributes have invalid values for '\([UserInfoEntry].ignoringKey)':"
    case .ignoredRelationship:
      "CloudKit integration does not support ignored relationships. The following entities and "
        + "relationships are marked ignored using '\([UserInfoEntry].ignoringKey)':"
    case .deny: "The following relationships are configured with unsupported delete rules:"
    case .unique:
      "CloudKit integration does not support unique constraints. The following entities are "
        + "constrained:"
    case .renamedEntity:
      "Cannot migrate store in-place: CloudKit integration forbids renaming"
    case .renamedRelationship: "CloudKit integration forbids renaming relationships:"
    case .retypedField: "A field cannot change its type between versions:"
    case .movedEntity: "An entity cannot change its record type between versions:"
    case .encryptedInPublic: "The public database has no encrypted fields:"
    case .reservedName: "Core Data uses the field itself:"
    case .fieldConflict: "Two properties need the same field with different types:"
    case .invalidName:
      "A name in CloudKit must begin with a letter and have at most 255 letters, digits and "
        + "underscores:"
    }
  }

  /// What separates an entity from its property in a line.
  fileprivate var separator: String {
    switch self {
    case .ignoredRelationship, .deny: ":"
    case .noInverse, .ordered, .requiredAttribute, .requiredRelationship, .unsupportedType,
      .oneWayTransformer, .otherConfiguration, .requiredIgnored, .unique, .renamedEntity,
      .renamedRelationship, .retypedField, .movedEntity, .encryptedInPublic, .reservedName,
      .fieldConflict, .invalidName:
      ": "
    }
  }

  /// The end of a line.
  fileprivate var detail: String {
    switch self {
    case .noInverse, .ordered, .requiredAttribute, .requiredRelationship, .ignoredRelationship,
      .renamedEntity, .encryptedInPublic, .invalidName:
      ""
    case .retypedField(let field, let old, let new):
      " - \(field.text) is \(new.schemaName), and was \(old.schemaName)"
    case .movedEntity(let old, let new): " - \(new.text), and was \(old.text)"
    case .unsupportedType(let type): " - Unsupported attribute type (\(type.rawValue))"
    case .oneWayTransformer: " - Doesn't allow reverse transformation"
    case .otherConfiguration(let destination): " - \(destination)"
    case .requiredIgnored: " - attribute is not optional"
    case .deny: " - Deny"
    case .unique(let attributes): ": " + attributes.joined(separator: ", ")
    case .renamedRelationship(let old): " - renamed from '\(old)'"
    case .reservedName(let field): " - \(field.text)"
    case .fieldConflict(let field, let type, let known, let other):
      " - \(field.text) is \(type.schemaName), but \(known.schemaName) for \(other)"
    }
  }

  /// What to change in the model.
  public var remedy: String {
    switch self {
    case .noInverse: "add a relationship back, and make it the inverse"
    case .ordered: "remove 'ordered', and sort by an attribute"
    case .requiredAttribute: "make the attribute optional, or give it a default"
    case .requiredRelationship: "make the relationship optional"
    case .unsupportedType: "give the attribute a type"
    case .oneWayTransformer: "use a transformer that allows reverse transformation"
    case .otherConfiguration:
      "add the destination to the configuration, or keep its identifier in an attribute"
    case .requiredIgnored: "make the attribute optional"
    case .ignoredRelationship: "remove the key, or move the destination to another configuration"
    case .deny: "use Nullify or Cascade, and check in the app before it deletes"
    case .unique: "remove the constraint, and merge duplicates in the app"
    case .renamedEntity, .renamedRelationship:
      "keep the old name, or add a new one and copy the data"
    case .retypedField: "add an attribute with another name, and copy the data"
    case .movedEntity: "keep the parent, or add an entity and copy the data"
    case .encryptedInPublic: "turn off allowsCloudEncryption"
    case .reservedName, .fieldConflict: "rename one of them"
    case .invalidName: "rename it"
    }
  }
}
