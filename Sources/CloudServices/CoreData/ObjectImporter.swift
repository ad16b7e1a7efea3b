internal import Basics
public import CloudModel
internal import CoreDataModel
internal import FieldCodecs
internal import RecordStore

/// Imports Core Data's objects as the records that NSPersistentCloudKitContainer would export: the
/// entities of drafts are record types, and their properties fields.
public final class ObjectImporter {
  private let mirror: MirroredModel
  private let importer: RecordImporter
  private let properties: ObjectProperties
  private var links: [ObjectLink: Origin] = [:]
  private var order: [ObjectLink] = []

  /// Where a link was read.
  private struct Origin {
    let zone: String?
    let position: TextPosition
  }

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

  private func add(_ object: RecordDraft) throws {
    let name = object.type ?? importer.options.type?.text
    guard let name else { throw ImportFault(.missingType, at: object.position) }
    guard let entity = mirror.model[name], mirror.mirrors(name) else {
      throw fault(
        "no entity '\(name.visible)' in the model", object.position,
        remedy: .nearest(to: name, among: mirror.entities.map(\.name)))
    }
    guard !entity.isAbstract else {
      throw fault("the entity '\(name)' is abstract and has no objects", object.position)
    }
    var record = object
    record.type = mirror.recordType(of: entity).text
    record.fields = [field(MirroredNames.entityName, .string(entity.name), at: object.position)]
    var contents: [Asset: [UInt8]] = [:]
    let known = properties.of(entity)
    for property in object.fields {
      switch known[property.name.text] {
      case .attribute(let attribute)?:
        let value = try value(of: property, attribute)
        let field = field(MirroredNames.field(attribute.name), value, at: property.position)
        record.fields.append(field)
      case .toOne(let relationship)?:
        let target = try target(property)
        let field = field(MirroredNames.field(relationship), target, at: property.position)
        record.fields.append(field)
      case .pair(let pair, let isFirst)?:
        try link(property, of: &record, to: pair, isFirst: isFirst)
      case .toMany(let remedy)?:
        throw fault(
          "'\(property.name.text)' has no field: the other side refers to the object",
          property.position, remedy: .advice(remedy))
      case nil:
        throw fault(
          "no property '\(property.name.text.visible)' in the entity '\(entity.name)'",
          property.position,
          remedy: .nearest(to: property.name.text, among: known.keys.sorted(by: utf8Precedes)))
      }
    }
    addDefaults(of: entity, to: &record)
    moveLargeValues(of: &record, to: &contents)
    try importer.add(record, contents: contents)
  }

  // MARK: Values

  private func field(
    _ name: FieldName, _ value: FieldValue?, at position: TextPosition
  ) -> RecordDraft.Field {
    RecordDraft.Field(name, value, at: position)
  }

  /// The value of an attribute. Throws for a value that does not fit its type.
  private func value(
    of property: RecordDraft.Field, _ attribute: AttributeDescription
  ) throws -> FieldValue? {
    guard let given = property.value, let base = attribute.type.mirroredBase else { return nil }
    guard let value = given.held(by: FieldType(base), as: property.type),
      let fitted = value.fitted(to: attribute.type)
    else {
      throw fault(
        "'\(attribute.name)' is \(attribute.type.rawValue), which the value does not fit",
        property.position)
    }
    return fitted
  }

  /// The name of a related object's record.
  private func target(_ property: RecordDraft.Field) throws -> FieldValue? {
    switch property.value {
    case .reference(let reference)?: return .string(reference.name.text)
    case .string(let name)?: return .string(name)
    case nil: return nil
    case .int64?, .double?, .timestamp?, .bytes?, .location?, .asset?, .list?:
      throw fault(
        "'\(property.name.text)' is a relationship: expected a record name", property.position)
    }
  }

  /// Gives an object the defaults of attributes that it must have. Optional ones stay without a
  /// value: an exported object says so by leaving them out.
  private func addDefaults(of entity: EntityDescription, to record: inout RecordDraft) {
    let given = Set(record.fields.lazy.filter { $0.value != nil }.map(\.name))
    for attribute in mirror.model.attributes(of: entity)
    where attribute.isMirrored && !attribute.isOptional {
      let name = MirroredNames.field(attribute.name)
      guard let value = attribute.defaultValue, !given.contains(name) else { continue }
      record.fields.removeAll { $0.name == name }
      record.fields.append(field(name, value, at: record.position))
    }
  }

  /// The size of a record up to which values stay in it.
  private static let mostBytes = 700_000

  /// Moves values to their companions, the largest first, until the record is small enough: the
  /// smallest are added to it first.
  private func moveLargeValues(of record: inout RecordDraft, to contents: inout [Asset: [UInt8]]) {
    let sizes = record.fields.map { $0.name.text.utf8.count + ($0.value?.size ?? 0) }
    guard sizes.reduce(0, +) > Self.mostBytes else { return }
    let isLong = record.fields.map { field in
      switch field.value {
      case .string?, .bytes?: true
      case .int64?, .double?, .timestamp?, .location?, .reference?, .asset?, .list?, nil: false
      }
    }
    var size = zip(sizes, isLong).reduce(0) { $0 + ($1.1 ? 0 : $1.0) }
    for place in record.fields.indices.sorted(by: { sizes[$0] < sizes[$1] }) where isLong[place] {
      if size + sizes[place] <= Self.mostBytes {
        size += sizes[place]
        continue
      }
      let bytes = record.fields[place].value?.contents ?? []
      guard let asset = Asset(sha256: SHA256.hash(bytes).hexadecimal, size: Int64(bytes.count))
      else {
        continue
      }
      contents[asset] = bytes
      record.fields[place].name = MirroredNames.companion(of: record.fields[place].name)
      record.fields[place].value = .asset(asset)
    }
  }

  // MARK: Links

  private func link(
    _ property: RecordDraft.Field, of record: inout RecordDraft, to pair: RelationshipPair,
    isFirst: Bool
  ) throws {
    let members: [FieldValue] =
      switch property.value {
      case .list(let members)?: members
      case let value?: [value]
      case nil: []
      }
    if members.isEmpty { return }
    let own = record.name ?? importer.makeName().text
    record.name = own
    for member in members {
      guard
        case .string(let other)? = try target(
          RecordDraft.Field(property.name, member, at: property.position))
      else { continue }
      guard !own.contains(":"), !other.contains(":") else {
        throw fault(
          "'\(property.name.text)' relates records whose names contain a colon, which a link "
            + "cannot express", property.position)
      }
      let sides = [own, other].map { RecordName(stored: $0) }
      add(
        ObjectLink(pair, sides[isFirst ? 0 : 1], sides[isFirst ? 1 : 0]),
        Origin(zone: record.zone, position: property.position))
    }
  }

  private func add(_ link: ObjectLink, _ origin: Origin) {
    if links.updateValue(origin, forKey: link) == nil { order.append(link) }
  }

  /// Adds the records of all links that the zone does not have yet, after the objects. Throws as
  /// `add`.
  public func finish() throws {
    var known: [String: Set<ObjectLink>] = [:]
    for link in order {
      guard let origin = links[link] else { continue }
      let zone = origin.zone ?? ""
      if known[zone] == nil { known[zone] = try existingLinks(in: origin.zone) }
      guard known[zone]?.contains(link) == false else { continue }
      var record = RecordDraft()
      record.name = link.name
      record.type = MirroredNames.links.text
      record.zone = origin.zone
      record.position = origin.position
      record.fields = link.fields.map { field($0.name, .string($0.text), at: origin.position) }
      try importer.add(record)
    }
  }

  private func existingLinks(in zone: String?) throws -> Set<ObjectLink> {
    let database = importer.database
    let id = try zone.map { try ZoneID($0) } ?? importer.options.zone
    var links: Set<ObjectLink> = []
    guard let table = try importer.store.table(MirroredNames.links),
      let stored = try database.storedZone(id)
    else { return [] }
    try importer.store.list(
      stored, type: table, visible: database.visibleRows(of: table, in: stored),
      damaged: { throw CloudError($0) }
    ) { record in
      if let link = ObjectLink(record) { links.insert(link) }
      return true
    }
    return links
  }

  private func fault(
    _ message: String, _ position: TextPosition, remedy: Remedy? = nil
  ) -> ImportFault {
    ImportFault(CloudError(.invalidArguments, message, remedy: remedy), at: position)
  }
}

extension FieldValue {
  /// The bytes of an asset with the value.
  fileprivate var contents: [UInt8]? {
    switch self {
    case .string(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    case .int64, .double, .timestamp, .location, .reference, .asset, .list: nil
    }
  }

  /// The value as an attribute of a type has it; nil for a value outside its range.
  fileprivate func fitted(to type: AttributeType) -> FieldValue? {
    switch (type, self) {
    case (.integer16, .int64(let number)): Int16(exactly: number).map { _ in self }
    case (.integer32, .int64(let number)): Int32(exactly: number).map { _ in self }
    case (.boolean, .int64(let number)): number == 0 || number == 1 ? self : nil
    case (.uuid, .string(let text)): text.isUUID ? .string(text.uppercased()) : nil
    case _: self
    }
  }
}

extension String {
  /// Whether it is a UUID with hyphens, in either case.
  fileprivate var isUUID: Bool {
    let parts = utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let digits = "0123456789abcdefABCDEF".utf8
    return parts.map(\.count) == [8, 4, 4, 4, 12]
      && parts.allSatisfy { $0.allSatisfy(digits.contains) }
  }
}
