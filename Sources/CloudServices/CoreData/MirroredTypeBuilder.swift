internal import Basics
internal import CloudModel
internal import CoreDataModel

/// Collects the record types of a model. Sub-entities have their root's type, which therefore has
/// the fields of all of them (E1).
struct MirroredTypeBuilder {
  private let model: ManagedObjectModel
  private var places: [String: Int] = [:]
  private(set) var types: [MirroredType] = []
  private(set) var conflicts: [MirroringFinding] = []
  /// For each type, the property that each field is for.
  private var origins: [[FieldName: Origin]] = []

  private struct Origin: Equatable {
    let entity, property: String
  }

  init(_ model: ManagedObjectModel) { self.model = model }

  mutating func add(_ entity: EntityDescription) {
    guard let type = type(of: entity) else { return }
    for attribute in model.attributes(of: entity) { add(attribute, to: type) }
    for relationship in model.relationships(of: entity)
    where !relationship.isToMany && !relationship.isTransient {
      let text = FieldType(.string)
      add(
        relationship.name, text, .relationship,
        Origin(entity: relationship.entity, property: relationship.name), relationship.position,
        to: type)
    }
  }

  /// The place of an entity's type, which is new for the first entity of its root; nil for a name
  /// that no type can have.
  private mutating func type(of entity: EntityDescription) -> Int? {
    let root = model.root(of: entity)
    if let place = places[root.name] { return place < 0 ? nil : place }
    guard let name = try? RecordType(MirroredNames.prefix + root.name) else {
      places[root.name] = -1
      conflicts.append(MirroringFinding(.invalidName, root, nil))
      return nil
    }
    places[root.name] = types.count
    types.append(MirroredType(name: name, position: root.position, fields: []))
    origins.append([:])
    let place = types.count - 1
    let own = Origin(entity: "", property: "")
    let (text, bytes) = (FieldType(.string), FieldType(.bytes))
    insert(MirroredNames.entityName, text, .entityName, own, nil, to: place)
    insert(MirroredNames.moveReceipt, bytes, .moveReceipt, own, nil, to: place)
    let companion = MirroredNames.companion(of: MirroredNames.moveReceipt)
    insert(companion, FieldType(.asset), .moveReceipt, own, nil, to: place)
    return place
  }

  private mutating func add(_ attribute: AttributeDescription, to type: Int) {
    guard attribute.isMirrored, let fieldType = attribute.mirroredType else { return }
    let origin = Origin(entity: attribute.entity, property: attribute.name)
    add(attribute.name, fieldType, .attribute, origin, attribute.position, to: type)
    guard attribute.type.isOfVariableLength else { return }
    let companion = attribute.name + MirroredNames.companionSuffix
    add(companion, FieldType(.asset), .companion, origin, attribute.position, to: type)
  }

  /// Adds the field of a property, unless the type has it, or another of its name.
  private mutating func add(
    _ property: String, _ fieldType: FieldType, _ purpose: MirroredField.Purpose,
    _ origin: Origin, _ position: TextPosition, to type: Int
  ) {
    let name = MirroredNames.field(property)
    if let known = origins[type][name] {
      if known != origin { noteConflict(name, fieldType, origin, known, position, in: type) }
      return
    }
    guard (try? FieldName(name.text)) != nil else {
      if let entity = model[origin.entity] {
        conflicts.append(MirroringFinding(.invalidName, entity, origin.property, at: position))
      }
      origins[type][name] = origin
      return
    }
    insert(name, fieldType, purpose, origin, position, to: type)
  }

  /// Notes a conflict of two properties whose field has the same name, unless both can use it.
  private mutating func noteConflict(
    _ name: FieldName, _ fieldType: FieldType, _ origin: Origin, _ known: Origin,
    _ position: TextPosition, in type: Int
  ) {
    let field = types[type].fields.first { $0.schema.name == name }
    guard let entity = model[origin.entity], let field,
      known.entity.isEmpty || field.schema.type != fieldType
    else { return }
    let finding = MirroringFinding(
      known.entity.isEmpty
        ? .reservedName(name)
        : .fieldConflict(name, fieldType, field.schema.type, other: known.entity),
      entity, origin.property, at: position)
    if !conflicts.contains(finding) { conflicts.append(finding) }
  }

  private mutating func insert(
    _ name: FieldName, _ fieldType: FieldType, _ purpose: MirroredField.Purpose,
    _ origin: Origin, _ position: TextPosition?, to type: Int
  ) {
    origins[type][name] = origin
    let schema = FieldSchema(name: name, type: fieldType, indexes: fieldType.mirroredIndexes)
    types[type].fields.append(
      MirroredField(schema: schema, purpose: purpose, position: position))
  }
}

extension FieldType {
  /// The indexes of a field that the mirror creates (E5).
  var mirroredIndexes: FieldIndexes {
    if isEncrypted || base == .asset { return [] }
    return base == .string ? [.queryable, .searchable, .sortable] : [.queryable, .sortable]
  }
}

extension AttributeDescription {
  /// Whether the mirror has a field for it, if its type has one (E4).
  var isMirrored: Bool { !isTransient && !isDerived && !isIgnored && !Self.legacy.contains(name) }

  /// The type of its field; nil for types that the mirror refuses (E2, E10).
  var mirroredType: FieldType? {
    type.mirroredBase.map { FieldType($0, isEncrypted: allowsCloudEncryption) }
  }

  /// Whether the model says that the mirror ignores it.
  var isIgnored: Bool { userInfo.saysIgnored }

  /// Attributes in which older versions of Core Data kept system fields of records.
  private static let legacy: Set = ["ckRecordID", "ckRecordSystemFields"]
}

extension [UserInfoEntry] {
  /// The key whose value makes Core Data's mirror ignore a property.
  static let ignoringKey = "NSCloudKitMirroringDelegateIgnoredPropertyKey"

  /// Whether the key says so.
  var saysIgnored: Bool {
    contains {
      $0.key == Self.ignoringKey && ["YES", "TRUE", "1"].contains($0.value.uppercased())
    }
  }
}
