internal import Basics
public import CloudModel
internal import CoreDataModel
internal import RecordStore

/// The records of a zone seen as Core Data's objects: types are entities, fields are attributes and
/// relationships, values come back from their companions, and links become to-many relationships.
/// Without a model `InferredEntities` says what is a relationship.
public struct ObjectView {
  private let database: CloudDatabase
  private let zone: ZoneID
  private let mirror: MirroredModel?
  private let properties: ObjectProperties?
  private let links: ObjectLinks
  private let inferred: InferredEntities?
  /// The entities, as record types whose fields are their properties, in byte order. Without a
  /// model only root entities are known, with the properties of their sub-entities.
  public let entities: [RecordTypeSchema]

  /// Reads the links of a zone. Throws as `CloudDatabase.list`.
  public init(
    _ database: CloudDatabase, zone: ZoneID, model mirror: MirroredModel?,
    damaged: DamageReport = { throw $0 }
  ) throws(CloudError) {
    self.database = database
    self.zone = zone
    self.mirror = mirror
    properties = mirror.map(ObjectProperties.init)
    (links, inferred) = try database.reading(zone) { stored in
      let links = try ObjectLinks(database, stored, damaged: damaged)
      return (links, try mirror == nil ? InferredEntities(database, stored, links) : nil)
    }
    let schemas = mirror?.entitySchemas ?? inferred?.schemas ?? []
    entities = schemas.sorted { utf8Precedes($0.name.text, $1.name.text) }
  }

  // MARK: Entities

  /// The kind of a property.
  public enum Kind: String, Sendable {
    case attribute
    case toOne = "to-one"
    case toMany = "to-many"
  }

  /// The kind of a property of `entities`.
  public func kind(of property: FieldSchema) -> Kind {
    if property.type.base != .reference { return .attribute }
    return property.type.isList ? .toMany : .toOne
  }

  /// The entity that a relationship of one of the `entities` leads to; nil for an attribute.
  public func destination(of property: FieldSchema, in entity: RecordTypeSchema) -> String? {
    inferred?.destinations[entity.name.text]?[property.name.text]
  }

  /// The root entity of a record type; nil for a type that does not belong to the mirror, or has
  /// links: older versions of Core Data had a type of them for each relationship.
  static func entity(of type: RecordType) -> String? {
    type.text.hasPrefix(MirroredNames.olderLinksPrefix) ? nil : property(type.text)
  }

  /// A name without the prefix of Core Data; nil for another name.
  static func property(_ name: String) -> String? {
    name.hasPrefix(MirroredNames.prefix)
      ? String(name.dropFirst(MirroredNames.prefix.count)) : nil
  }

  /// The record type of an entity, given the name of either. Nil for an unknown name; without a
  /// model, it may be the name of a sub-entity.
  public func type(named name: String) -> RecordType? {
    if let mirror {
      if let entity = mirror.model[name] { return mirror.recordType(of: entity) }
      return mirror.types.first { utf8Equal($0.name.text, name) }?.name
    }
    let root = Self.property(name) ?? name
    return entities.first { utf8Equal($0.name.text, root) }.map { _ in
      RecordType(stored: MirroredNames.prefix + root)
    }
  }

  /// The entities that are shown for the name of one, or of its record type: itself and its
  /// sub-entities. All if the name is unknown.
  public func entities(named name: String) -> [RecordTypeSchema] {
    let root = Self.property(name) ?? name
    let shown = entities.filter { entity in
      mirror == nil ? utf8Equal(entity.name.text, root) : isKind(entity.name.text, of: name)
    }
    return shown.isEmpty ? entities : shown
  }

  /// Whether an entity of the model is another, named by itself or by its record type, or inherits
  /// from it.
  private func isKind(_ entity: String, of name: String) -> Bool {
    guard let mirror, let known = mirror.model[entity] else { return false }
    let root = Self.property(name) ?? name
    return mirror.model.lineage(of: known).contains {
      utf8Equal($0.name, name) || utf8Equal($0.name, root)
    }
  }

  // MARK: Objects

  /// Passes the objects of an entity and of its sub-entities, or all, to `body` in name order until
  /// it returns false. Throws `unknownItem` for an entity that neither the schema nor an object
  /// has.
  public func list(
    _ entity: String?, damaged: DamageReport = { throw $0 }, _ body: (Record) throws -> Bool
  ) throws(CloudError) {
    let type = entity.flatMap { self.type(named: $0) }
    let isType = try type.map { (type) throws(CloudError) in
      try database.environment.schema(of: type) != nil
    }
    // A type that no record has needed yet.
    if isType == false { return }
    var isKnown = type != nil || entity == nil
    try database.list(type, in: zone, damaged: damaged) { record in
      guard let object = try object(record) else { return true }
      if let entity, mirror != nil || type == nil {
        guard utf8Equal(object.type.text, entity) || isKind(object.type.text, of: entity) else {
          return true
        }
        isKnown = true
      }
      return try body(object)
    }
    if let entity, !isKnown {
      throw CloudError(
        .unknownItem, "no entity '\(entity.visible)' in zone '\(zone.text.visible)'",
        remedy: .nearest(to: entity, among: entities.map(\.name.text)))
    }
  }

  /// The object of a record; nil for a record that is not an object, or whose entity the model does
  /// not have. Properties that the model does not have are left out, as Core Data does. Throws for
  /// values that cannot be read from their assets.
  public func object(_ record: Record) throws -> Record? {
    guard let root = Self.entity(of: record.type) else { return nil }
    var entity = root
    if case .string(let name)? = record.fields[MirroredNames.entityName] { entity = name }
    guard let reading = Reading(entity, of: record, in: self) else { return nil }
    var object = record
    object.type = RecordType(stored: entity)
    object.fields = RecordFields()
    for entry in record.fields.entries {
      guard let (property, value) = try self.property(of: entry, reading) else { continue }
      object.fields[FieldName(stored: property)] = value
    }
    for (relationship, targets) in links.targets(of: record.name)
    where reading.has(relationship, .toMany) {
      object.fields[FieldName(stored: relationship)] = .list(targets.map { .string($0.text) })
    }
    return object
  }

  /// A record whose object is read, with the properties of its entity.
  private struct Reading {
    let record: Record
    let properties: [String: ObjectProperties.Property]?

    /// Nil if there is a model without the entity.
    init?(_ entity: String, of record: Record, in view: ObjectView) {
      self.record = record
      guard let mirror = view.mirror else {
        properties = nil
        return
      }
      guard let known = mirror.model[entity], mirror.mirrors(entity) else { return nil }
      properties = view.properties?.of(known)
    }

    /// Whether a property is of a kind. Without a model every link and every value counts.
    func has(_ property: String, _ kind: Kind) -> Bool {
      switch (properties?[property], kind) {
      case (.attribute?, .attribute), (.toOne?, .toOne), (.pair?, .toMany): true
      case (nil, _): properties == nil
      case (.attribute?, _), (.toOne?, _), (.pair?, _), (.toMany?, _): false
      }
    }
  }

  /// The property and the value of a field; nil for a field that Core Data adds, or does not know.
  private func property(
    of entry: RecordFields.Entry, _ reading: Reading
  ) throws -> (String, FieldValue)? {
    guard let property = Self.property(entry.name.text), entry.name != MirroredNames.entityName,
      !entry.name.isMoveReceipt
    else { return nil }
    if case .asset(let asset) = entry.value, let own = entry.name.companionOwner,
      let property = Self.property(own.text)
    {
      guard reading.record.fields[own] == nil, reading.has(property, .attribute) else {
        return nil
      }
      return (property, try value(of: asset, for: own, in: reading.record))
    }
    return reading.has(property, .attribute) || reading.has(property, .toOne)
      ? (property, entry.value) : nil
  }

  private func value(
    of asset: Asset, for field: FieldName, in record: Record
  ) throws -> FieldValue {
    let environment = database.environment
    try environment.requireAssets(of: record)
    let bytes = try environment.contents(of: asset)
    let type =
      try mirror?.field(field, of: record.type)
      ?? environment.knownSchema(of: record.type)?
      .field(field.text)
    let text = String(validating: bytes, as: UTF8.self)
    guard let base = type?.type.base else { return text.map { .string($0) } ?? .bytes(bytes) }
    guard base == .string else { return .bytes(bytes) }
    guard let text else {
      throw CloudError(
        .assetNotAvailable,
        "the asset in \(field.text)\(MirroredNames.companionSuffix) is not UTF-8 text",
        recordName: record.name.text)
    }
    return .string(text)
  }
}

extension MirroredModel {
  /// The entities that have objects, as record types whose fields are their properties as an import
  /// reads them: relationships by names.
  public var importedSchemas: [RecordTypeSchema] {
    entitySchemas.map { schema in
      var schema = schema
      for place in schema.fields.indices where schema.fields[place].type.base == .reference {
        schema.fields[place].type.base = .string
      }
      return schema
    }
  }

  /// The entities that have objects, as record types whose fields are their properties.
  public var entitySchemas: [RecordTypeSchema] {
    entities.filter { !$0.isAbstract }.map { entity in
      var schema = RecordTypeSchema(name: RecordType(stored: entity.name), fields: [])
      for attribute in model.attributes(of: entity) where attribute.isMirrored {
        guard let type = attribute.mirroredType else { continue }
        schema.insert(property: attribute.name, type)
      }
      for relationship in model.relationships(of: entity) where !relationship.isTransient {
        if relationship.isToMany, pair(of: relationship) == nil { continue }
        schema.insert(
          property: relationship.name, FieldType(.reference, isList: relationship.isToMany))
      }
      return schema
    }
  }

  /// The field of a type.
  fileprivate func field(_ name: FieldName, of type: RecordType) -> FieldSchema? {
    types.first { $0.name == type }?.fields.first { $0.schema.name == name }?.schema
  }
}

extension RecordTypeSchema {
  mutating func insert(property: String, _ type: FieldType) {
    insert(FieldSchema(name: FieldName(stored: property), type: type, indexes: []))
  }
}

extension FieldName {
  /// Whether it is one of the two fields of a move receipt.
  var isMoveReceipt: Bool {
    self == MirroredNames.moveReceipt
      || self == MirroredNames.companion(of: MirroredNames.moveReceipt)
  }

  /// The field that a companion belongs to; nil if the name is not that of a companion.
  var companionOwner: FieldName? {
    guard text.hasSuffix(MirroredNames.companionSuffix) else { return nil }
    return FieldName(stored: String(text.dropLast(MirroredNames.companionSuffix.count)))
  }
}
