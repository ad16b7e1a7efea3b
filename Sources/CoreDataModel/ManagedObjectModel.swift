internal import Basics
public import CloudModel

/// The entities of an app's Core Data store, as a model file describes them (NSManagedObjectModel).
public struct ManagedObjectModel: Sendable, Equatable {
  /// The entities, in the order of the file.
  public private(set) var entities: [EntityDescription]
  /// The configurations that the file defines; the default one, which has all entities, is not
  /// among them.
  public var configurations: [ModelConfiguration]
  /// Whether Xcode checks the model for CloudKit (`usedWithCloudKit`); most mirrored models do not
  /// say so.
  public var isUsedWithCloudKit: Bool
  private var places: [String: Int]

  /// Creates a model. Throws `ModelError` if two entities have the same name, a parent or a
  /// destination is unknown, or an entity inherits from itself.
  public init(
    entities: [EntityDescription], configurations: [ModelConfiguration] = [],
    isUsedWithCloudKit: Bool = false
  ) throws(ModelError) {
    self.entities = entities
    self.configurations = configurations
    self.isUsedWithCloudKit = isUsedWithCloudKit
    places = [:]
    for (place, entity) in entities.enumerated() {
      guard places.updateValue(place, forKey: entity.name) == nil else {
        throw ModelError("the entity '\(entity.name)' is defined twice", at: entity.position)
      }
    }
    try checkParents()
    for relationship in entities.lazy.flatMap(\.relationships) {
      guard let name = relationship.destination, places[name] == nil else { continue }
      throw ModelError(
        "no entity '\(name.visible)' as the destination", at: relationship.position,
        remedy: .nearest(to: name, among: places.keys.sorted(by: utf8Precedes)))
    }
  }

  private func checkParents() throws(ModelError) {
    /// The entities whose ancestors are known to end at a root.
    var rooted = [Bool](repeating: false, count: entities.count)
    for start in entities.indices {
      var path: [Int] = []
      var visited: Set<Int> = []
      var next: Int? = start
      while let place = next, !rooted[place] {
        guard visited.insert(place).inserted else {
          let entity = entities[place]
          throw ModelError("the entity '\(entity.name)' inherits from itself", at: entity.position)
        }
        path.append(place)
        next = try parent(of: entities[place])
      }
      for place in path { rooted[place] = true }
    }
  }

  private func parent(of entity: EntityDescription) throws(ModelError) -> Int? {
    guard let name = entity.parent else { return nil }
    if let place = places[name] { return place }
    throw ModelError(
      "no entity '\(name.visible)' to inherit from", at: entity.position,
      remedy: .nearest(to: name, among: places.keys.sorted(by: utf8Precedes)))
  }

  /// The entity with a name; nil for an unknown one.
  public subscript(name: String) -> EntityDescription? { places[name].map { entities[$0] } }

  /// An entity and those that it inherits from, the root last.
  public func lineage(of entity: EntityDescription) -> [EntityDescription] {
    var lineage = [entity]
    while let parent = lineage[lineage.count - 1].parent.flatMap({ self[$0] }) {
      lineage.append(parent)
    }
    return lineage
  }

  /// The entity at the end of a lineage.
  public func root(of entity: EntityDescription) -> EntityDescription {
    lineage(of: entity).last ?? entity
  }

  /// The attributes of an entity, inherited ones first.
  public func attributes(of entity: EntityDescription) -> [AttributeDescription] {
    lineage(of: entity).reversed().flatMap(\.attributes)
  }

  /// The relationships of an entity, inherited ones first.
  public func relationships(of entity: EntityDescription) -> [RelationshipDescription] {
    lineage(of: entity).reversed().flatMap(\.relationships)
  }

  /// The other side of a relationship; nil if it has none that exists.
  public func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
    guard let name = relationship.inverseName,
      let destination = relationship.destination.flatMap({ self[$0] })
    else { return nil }
    return lineage(of: destination).lazy.flatMap(\.relationships).first { $0.name == name }
  }
}

/// A named set of entities, which a store may be limited to.
public struct ModelConfiguration: Sendable, Equatable {
  /// The name.
  public var name: String
  /// The names of its entities.
  public var entities: [String]
}

/// An entity of a model (NSEntityDescription).
public struct EntityDescription: Sendable, Equatable {
  /// The name.
  public var name: String
  /// The entity that it inherits from.
  public var parent: String?
  /// Whether only its sub-entities have objects.
  public var isAbstract = false
  /// The attributes that it defines itself, in the order of the file.
  public var attributes: [AttributeDescription] = []
  /// The relationships that it defines itself, in the order of the file.
  public var relationships: [RelationshipDescription] = []
  /// The sets of attributes whose values must be unique together.
  public var uniquenessConstraints: [[String]] = []
  /// The indexes of the local store.
  public var indexes: [FetchIndex] = []
  /// The former name, for migrations; usually nil.
  public var renamingIdentifier: String?
  /// Further entries, which other software reads.
  public var userInfo: [UserInfoEntry] = []
  /// The position of its element.
  public var position: TextPosition
}

/// An index of the local store (NSFetchIndexDescription). It has no effect on CloudKit.
public struct FetchIndex: Sendable, Equatable {
  /// The name; empty for an index in the form of older models.
  public var name: String
  /// The properties; an element that is an expression is left out.
  public var properties: [String]
}

/// An entry of a `userInfo` dictionary.
public struct UserInfoEntry: Sendable, Equatable {
  /// The key.
  public var key: String
  /// The value.
  public var value: String
}

/// An attribute of an entity (NSAttributeDescription).
public struct AttributeDescription: Sendable, Equatable {
  /// The name.
  public var name: String
  /// The entity that defines it.
  public var entity: String
  /// The type.
  public var type: AttributeType
  /// Whether an object may have no value; without `optional` in the file it must have one.
  public var isOptional = false
  /// Whether it is not stored.
  public var isTransient = false
  /// Whether Core Data computes it from others.
  public var isDerived = false
  /// The default; a string if it does not fit the type.
  public var defaultValue: FieldValue?
  /// Whether the class has a number instead of an NSNumber.
  public var usesScalarValueType = false
  /// Whether large values are stored in files of their own.
  public var allowsExternalBinaryDataStorage = false
  /// Whether CloudKit encrypts the values.
  public var allowsCloudEncryption = false
  /// The name of the transformer of a transformable attribute.
  public var valueTransformerName: String?
  /// The former name, for migrations; usually nil.
  public var renamingIdentifier: String?
  /// Further entries, which other software reads.
  public var userInfo: [UserInfoEntry] = []
  /// The position of its element.
  public var position: TextPosition
}

/// The types of attributes, as the file names them (NSAttributeType).
public enum AttributeType: String, Sendable, CaseIterable {
  case integer16 = "Integer 16"
  case integer32 = "Integer 32"
  case integer64 = "Integer 64"
  case decimal = "Decimal"
  case double = "Double"
  case float = "Float"
  case string = "String"
  case boolean = "Boolean"
  case date = "Date"
  case binary = "Binary"
  case uuid = "UUID"
  case uri = "URI"
  case transformable = "Transformable"
  case composite = "Composite"
  case objectID = "Object ID"
  /// The type of an attribute that does not name one.
  case undefined = "Undefined"
}

/// A relationship of an entity (NSRelationshipDescription).
public struct RelationshipDescription: Sendable, Equatable {
  /// The name.
  public var name: String
  /// The entity that defines it.
  public var entity: String
  /// The entity that it leads to.
  public var destination: String?
  /// The name of the other side; nil for none.
  public var inverseName: String?
  /// Whether an object may have no related one.
  public var isOptional = false
  /// Whether it is not stored.
  public var isTransient = false
  /// Whether it leads to any number of objects.
  public var isToMany = false
  /// Whether the related objects are ordered.
  public var isOrdered = false
  /// The fewest and the most related objects; 0 for no limit.
  public var count: ClosedRange<Int> = 0...0
  /// What happens to the related objects when an object is deleted.
  public var deleteRule: DeleteRule
  /// The former name, for migrations; usually nil.
  public var renamingIdentifier: String?
  /// Further entries, which other software reads.
  public var userInfo: [UserInfoEntry] = []
  /// The position of its element.
  public var position: TextPosition
}

/// What happens to related objects when an object is deleted, as the file names it (NSDeleteRule).
public enum DeleteRule: String, Sendable, CaseIterable {
  case nullify = "Nullify"
  case cascade = "Cascade"
  case deny = "Deny"
  /// The rule of a relationship that does not name one.
  case noAction = "No Action"
}
