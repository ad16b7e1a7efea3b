internal import Basics
public import CloudModel
internal import CoreDataModel
internal import FieldCodecs
internal import RecordStore

/// Imports Core Data's objects as the records that NSPersistentCloudKitContainer would export: the
/// entities of drafts become record types, and their properties fields (E1 to E11).
///
/// An import adds links of many-to-many relationships and removes none.
public final class ObjectImporter {
  private let mirror: MirroredModel
  private let importer: RecordImporter
  private let properties: ObjectProperties
  private var links = PendingLinks()
  private var claims: [RelationshipClaim] = []

  /// Creates an importer of the objects of a model.
  public init(_ mirror: MirroredModel, _ importer: RecordImporter) {
    self.mirror = mirror
    self.importer = importer
    properties = ObjectProperties(mirror)
  }

  /// Adds the object of an item; one without an entity has that of the import's options. Throws
  /// only errors that end the whole import.
  public func add(
    _ item: ImportBatch.Item, of batch: ImportBatch,
    _ read: (UnsafeRawBufferPointer, TextPosition) throws -> RecordDraft
  ) throws {
    try importer.checkInterrupt()
    var name: String?
    do {
      let object = try batch.draft(of: item, read)
      name = object.name
      try add(object)
    } catch var fault as ImportFault {
      fault.error.recordName = fault.error.recordName ?? name
      importer.note(fault)
    }
  }

  private func add(_ given: RecordDraft) throws {
    let entity = try entity(of: given)
    let known = properties.of(entity)
    let object = try withoutParent(given, known)
    var record = object
    record.type = mirror.recordType(of: entity).text
    record.fields = [
      RecordDraft.Field(MirroredNames.entityName, .string(entity.name), at: object.position)
    ]
    var own = PendingLinks()
    for property in object.fields {
      guard let kind = known[property.name.text] else {
        // A table has cells for the properties of all entities.
        if property.value == nil { continue }
        throw unknown(property, of: entity, among: known.keys.sorted(by: utf8Precedes))
      }
      try take(property, kind, into: &record, &own)
    }
    try addDefaults(of: entity, to: &record)
    let assets = try moveLargeValues(of: entity, in: &record)
    if try importer.admits(record) {
      links.append(own)
      claims += properties.claims(of: object, entity, known)
    } else {
      try importer.forget(assets)
    }
  }

  private func entity(of object: RecordDraft) throws -> EntityDescription {
    guard let name = object.type ?? importer.options.type?.text else {
      throw ImportFault(.missingType, at: object.position)
    }
    let entity = mirror.model[name] ?? ObjectView.property(name).flatMap { mirror.model[$0] }
    guard let entity, mirror.mirrors(entity.name) else {
      throw ImportFault(
        object.position, "no entity '\(name.visible)' in the model",
        remedy: .nearest(to: name, among: mirror.entities.map(\.name)))
    }
    guard !entity.isAbstract else {
      throw ImportFault(object.position, "the entity '\(name)' is abstract and has no objects")
    }
    return entity
  }

  /// The object with its parent as a property: a table has one column for both, and Core Data gives
  /// no record a parent. Throws for a parent that is not a property of the entity.
  private func withoutParent(
    _ object: RecordDraft, _ known: [String: ObjectProperties.Property]
  ) throws -> RecordDraft {
    guard let parent = object.parent else { return object }
    let name = FieldName(stored: SystemKey.parent.rawValue)
    guard known[name.text] != nil, !object.fields.contains(where: { $0.name == name }) else {
      throw ImportFault(object.position, "an object has no parent: Core Data shares whole zones")
    }
    var object = object
    object.parent = nil
    object.fields.append(RecordDraft.Field(name, .string(parent), at: object.position))
    return object
  }

  private func unknown(
    _ property: RecordDraft.Field, of entity: EntityDescription, among names: [String]
  ) -> ImportFault {
    let name = property.name.text
    let isOfModel =
      mirror.model.attributes(of: entity).contains { $0.name == name }
      || mirror.model.relationships(of: entity).contains { $0.name == name }
    return ImportFault(
      property.position,
      isOfModel
        ? "'\(name)' of the entity '\(entity.name)' is not mirrored"
        : "no property '\(name.visible)' in the entity '\(entity.name)'",
      remedy: isOfModel ? nil : .nearest(to: name, among: names))
  }

  // MARK: Properties

  /// Adds a property to a record, or to the links of its object.
  private func take(
    _ property: RecordDraft.Field, _ kind: ObjectProperties.Property,
    into record: inout RecordDraft, _ links: inout PendingLinks
  ) throws {
    switch kind {
    case .attribute(let attribute):
      record.fields.append(try field(property, attribute))
    case .toOne(let name):
      var field = RecordDraft.Field(
        MirroredNames.field(name), nil, type: FieldType(.string), at: property.position)
      if let value = property.value { field.value = .string(try target(value, property).text) }
      record.fields.append(field)
    case .pair(let pair, let isFirst):
      for target in try targets(property) {
        let own = record.name.map { RecordName(stored: $0) } ?? importer.makeName()
        record.name = own.text
        try requireLinkable(own, at: record.position)
        links.add(
          isFirst ? ObjectLink(pair, own, target) : ObjectLink(pair, target, own),
          of: record, at: property.position)
      }
    case .toMany(let remedy):
      if try targets(property).isEmpty { return }
      throw ImportFault(
        property.position,
        "'\(property.name.text)' is the to-many side of a one-to-many relationship, which has no "
          + "field", remedy: .advice(remedy))
    }
  }

  /// The field of an attribute. Throws for a value that does not fit its type, unless the import
  /// leaves such values out.
  private func field(
    _ property: RecordDraft.Field, _ attribute: AttributeDescription
  ) throws -> RecordDraft.Field {
    let fitted = property.value.map { attribute.type.fitted($0, as: property.type) }
    if case .some(nil) = fitted {
      guard importer.options.dropsMismatches else {
        throw ImportFault(
          property.position,
          "the value does not fit '\(attribute.name)' (\(attribute.type.rawValue))")
      }
      importer.noteDroppedValue()
    }
    return RecordDraft.Field(
      MirroredNames.field(attribute.name), fitted ?? nil, type: attribute.mirroredType,
      at: property.position)
  }

  private func targets(_ property: RecordDraft.Field) throws -> [RecordName] {
    let members: [FieldValue] =
      switch property.value {
      case .list(let members)?: members
      case let value?: [value]
      case nil: []
      }
    return try members.map { member in
      let name = try target(member, property)
      try requireLinkable(name, at: property.position)
      return name
    }
  }

  /// Throws for a name that a link cannot express, as its pairs are joined by a colon (E8).
  private func requireLinkable(_ name: RecordName, at position: TextPosition) throws(ImportFault) {
    if name.text.utf8.contains(UInt8(ascii: ":")) {
      throw ImportFault(position, "a link cannot refer to a record whose name contains a colon")
    }
  }

  /// The name of a related object's record.
  private func target(
    _ value: FieldValue, _ property: RecordDraft.Field
  ) throws -> RecordName {
    switch value {
    case .reference(let reference): return reference.name
    case .string(let name):
      do throws(CloudError) { return try RecordName(name) } catch {
        throw ImportFault(error, at: property.position)
      }
    case .int64, .double, .timestamp, .bytes, .location, .asset, .list:
      throw ImportFault(
        property.position,
        "'\(property.name.text)' is a relationship: expected a record name")
    }
  }

  /// Gives a new object the defaults of attributes that it must have. Optional ones stay without a
  /// value: an exported object says so by leaving them out. Throws for a required attribute without
  /// value and default.
  private func addDefaults(of entity: EntityDescription, to record: inout RecordDraft) throws {
    if try importer.options.policy != .unchanged && importer.exists(record) { return }
    let given = Set(record.fields.lazy.filter { $0.value != nil }.map(\.name))
    for attribute in mirror.model.attributes(of: entity)
    where attribute.isMirrored && !attribute.isOptional && attribute.type.mirroredBase != nil {
      let name = MirroredNames.field(attribute.name)
      if given.contains(name) { continue }
      guard let value = attribute.defaultValue else {
        throw ImportFault(
          record.position, "'\(attribute.name)' must have a value, and has no default")
      }
      guard attribute.type.fitted(value, as: nil) != nil else {
        throw ImportFault(
          record.position,
          "the default of '\(attribute.name)' (\(attribute.type.rawValue)), which the object must "
            + "have, does not fit its type")
      }
      record.fields.removeAll { $0.name == name }
      let property = RecordDraft.Field(name, value, at: record.position)
      record.fields.append(try field(property, attribute))
    }
  }

  // MARK: Large values

  /// Moves values to their companions, the largest first, until the record is small enough: the
  /// smallest are added to it first (E9). A field or companion that has no value any more is
  /// emptied. Returns the assets.
  private func moveLargeValues(
    of entity: EntityDescription, in record: inout RecordDraft
  ) throws -> [Asset] {
    let long = properties.longFields(of: entity)
    let sizes = record.fields.map { $0.name.text.utf8.count + ($0.value?.size ?? 0) }
    let isLong = record.fields.map { long.contains($0.name) }
    var size = try zip(sizes, isLong).reduce(importer.sizeKept(beside: record)) {
      $0 + ($1.1 ? 0 : $1.0)
    }
    var assets: [Asset] = []
    for place in record.fields.indices.sorted(by: { sizes[$0] < sizes[$1] }) where isLong[place] {
      let field = record.fields[place]
      var companion = RecordDraft.Field(
        MirroredNames.companion(of: field.name), nil, type: FieldType(.asset), at: field.position)
      if size + sizes[place] <= Limits.mirroredRecordSize {
        size += sizes[place]
      } else if let bytes = field.value?.contents {
        let asset = try importer.bring(bytes)
        assets.append(asset)
        companion.value = .asset(asset)
        record.fields[place].value = nil
      }
      record.fields.append(companion)
    }
    try importer.removeNeedlessFields(of: &record)
    return assets
  }

  // MARK: Links

  /// Adds the records of all links that their zones do not have yet, after the objects. Throws only
  /// errors that end the whole import.
  public func finish() throws {
    if importer.options.isAtomic, !importer.summary.faults.isEmpty { return }
    for claim in claims {
      try importer.checkInterrupt()
      if let fault = try claim.fault(in: mirror, importer) { importer.note(fault) }
    }
    for group in links.byZone {
      let existing = try existingLinks(like: group.object)
      for (link, position) in group.links where !existing.contains(link) {
        try importer.checkInterrupt()
        try importer.add(link.record(like: group.object, at: position))
      }
    }
  }

  /// The links of the zone of an object.
  private func existingLinks(like object: RecordDraft) throws -> Set<ObjectLink> {
    var links: Set<ObjectLink> = []
    guard let table = try importer.store.table(MirroredNames.links),
      let zone = try importer.storedZone(of: object)
    else { return [] }
    try importer.store.list(
      zone, type: table, visible: importer.database.visibleRows(of: table, in: zone),
      damaged: { throw CloudError($0) }
    ) { record in
      if let link = ObjectLink(record) { links.insert(link) }
      return true
    }
    return links
  }
}

/// The links of objects that an import has added, by zone.
private struct PendingLinks {
  /// The links of one zone.
  struct Group {
    /// An object in the zone, which says how the text names it.
    let object: RecordDraft
    var links: [(link: ObjectLink, position: TextPosition)] = []
    var known: Set<ObjectLink> = []
  }

  private(set) var byZone: [Group] = []
  private var places: [[String?]: Int] = [:]

  mutating func add(_ link: ObjectLink, of object: RecordDraft, at position: TextPosition) {
    let zone = [object.zone, object.zoneOwner]
    let place = places[zone] ?? byZone.count
    if place == byZone.count {
      var model = RecordDraft()
      (model.zone, model.zoneOwner) = (object.zone, object.zoneOwner)
      byZone.append(Group(object: model))
      places[zone] = place
    }
    if byZone[place].known.insert(link).inserted { byZone[place].links.append((link, position)) }
  }

  mutating func append(_ other: PendingLinks) {
    for group in other.byZone {
      for (link, position) in group.links { add(link, of: group.object, at: position) }
    }
  }
}

extension ObjectLink {
  /// The record of the link, in the zone of a draft.
  fileprivate func record(like object: RecordDraft, at position: TextPosition) -> RecordDraft {
    var record = object
    record.name = name
    record.type = MirroredNames.links.text
    record.position = position
    record.fields = fields.map {
      RecordDraft.Field($0.name, .string($0.text), type: FieldType(.string), at: position)
    }
    return record
  }
}

extension ImportFault {
  /// A fault of an object at its position.
  fileprivate init(_ position: TextPosition, _ message: String, remedy: Remedy? = nil) {
    self.init(CloudError(.invalidArguments, message, remedy: remedy), at: position)
  }
}

extension FieldValue {
  /// The bytes of an asset with the value; nil for values that have no companion.
  fileprivate var contents: [UInt8]? {
    switch self {
    case .string(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    case .int64, .double, .timestamp, .location, .reference, .asset, .list: nil
    }
  }
}
