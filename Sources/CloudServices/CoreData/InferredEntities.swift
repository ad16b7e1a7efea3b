internal import Basics
internal import CloudModel
internal import RecordStore

/// The root entities of a zone's records, and their properties, as far as they show without a
/// model: from the schema, the links, and the first thousand records of each type.
///
/// A STRING field without a companion is a relationship if one of its first values is the name of a
/// record in the zone: names of mirrored records are random UUIDs.
struct InferredEntities {
  /// The entities as record types whose fields are their properties.
  private(set) var schemas: [RecordTypeSchema] = []
  /// For each entity, the destinations of its relationships.
  private(set) var destinations: [String: [String: String]] = [:]

  /// Reads the records of a zone; nil for a zone that does not exist.
  init(_ database: CloudDatabase, _ zone: StoredZone?, _ links: ObjectLinks) throws {
    let types = try database.store.types().compactMap { try database.store.table($0)?.schema }
    for type in types {
      guard let entity = ObjectView.entity(of: type.name) else { continue }
      let toOne = try zone.map { try database.relationships(of: type, in: $0) } ?? [:]
      destinations[entity] = toOne
      var schema = RecordTypeSchema(name: RecordType(stored: entity), fields: [])
      for field in type.fields {
        guard let property = Self.property(of: field, type) else { continue }
        schema.insert(
          property: property, toOne[property] != nil ? FieldType(.reference) : field.type)
      }
      schemas.append(schema)
    }
    for side in links.sides {
      try add(side, database, zone)
    }
  }

  /// Adds the to-many relationship of a link to its entity, or to the root of that: the type of an
  /// object says which it is.
  private mutating func add(
    _ side: ObjectLinks.Side, _ database: CloudDatabase, _ zone: StoredZone?
  ) throws {
    var place = schemas.firstIndex { utf8Equal($0.name.text, side.entity) }
    if place == nil, let zone,
      let type = try database.store.record(side.record, in: zone)?.record.type
    {
      place = schemas.firstIndex { utf8Equal(MirroredNames.prefix + $0.name.text, type.text) }
    }
    guard let place else { return }
    destinations[schemas[place].name.text, default: [:]][side.relationship] = side.destination
    if schemas[place].field(side.relationship) == nil {
      schemas[place].insert(
        property: side.relationship, FieldType(.reference, isList: true))
    }
  }

  /// The property of a field; nil for a field that Core Data adds. A companion belongs to a
  /// property without a field of its own if no value has been small.
  private static func property(of field: FieldSchema, _ type: RecordTypeSchema) -> String? {
    guard let property = ObjectView.property(field.name.text),
      field.name != MirroredNames.entityName, !field.name.isMoveReceipt
    else { return nil }
    guard field.type.base == .asset, let own = field.name.companionOwner else { return property }
    return type.field(own.text) == nil ? ObjectView.property(own.text) : nil
  }
}

extension CloudDatabase {
  /// Reads a zone in one transaction; `work` gets nil for a zone that does not exist. Injected
  /// faults do not apply: they strike the request that this is for.
  func reading<T>(_ zone: ZoneID, _ work: (StoredZone?) throws -> T) throws(CloudError) -> T {
    try requireReader()
    return try environment.read { try work(storedZone(zone)) }
  }

  /// The properties of a record type whose values are names of records in the zone, with the
  /// entities of those.
  fileprivate func relationships(
    of type: RecordTypeSchema, in zone: StoredZone
  ) throws -> [String: String] {
    let candidates = type.fields.filter { field in
      field.type == FieldType(.string) && field.name != MirroredNames.entityName
        && type.field(MirroredNames.companion(of: field.name).text) == nil
    }.map(\.name)
    guard !candidates.isEmpty else { return [:] }
    let samples = try samples(of: candidates, type, in: zone)
    var found: [String: String] = [:]
    for field in candidates {
      guard let property = ObjectView.property(field.text),
        let entity = try entity(ofOneOf: samples[field] ?? [], in: zone)
      else { continue }
      found[property] = entity
    }
    return found
  }

  /// Up to 20 values of each field, from the first thousand records.
  private func samples(
    of fields: [FieldName], _ type: RecordTypeSchema, in zone: StoredZone
  ) throws -> [FieldName: [String]] {
    let table = try environment.requireTable(type.name)
    var samples: [FieldName: [String]] = [:]
    var count = 0
    try store.list(
      zone, type: table, visible: visibleRows(of: table, in: zone), damaged: { _ in }
    ) { record in
      count += 1
      var needsMore = false
      for field in fields where samples[field, default: []].count < 20 {
        needsMore = true
        if case .string(let text)? = record.fields[field] {
          samples[field, default: []].append(text)
        }
      }
      return needsMore && count < 1000
    }
    return samples
  }

  /// The entity of the first of some names that a record has; nil for none.
  private func entity(ofOneOf names: [String], in zone: StoredZone) throws -> String? {
    for name in names {
      guard let name = try? RecordName(name),
        let target = try store.record(name, in: zone)?.record
      else { continue }
      if case .string(let entity)? = target.fields[MirroredNames.entityName] { return entity }
      return ObjectView.property(target.type.text)
    }
    return nil
  }
}
