internal import Basics
internal import CloudModel

/// Parses the XML of a model: the file `contents` in an `.xcdatamodel` folder.
///
/// Unknown elements and attributes are skipped, as each release of Xcode adds some.
public struct ModelParser {
  private var text: XMLScanner
  private var places: TextPlaces
  private var depth = 0
  private static let deepest = 64

  private var entities: [EntityDescription] = []
  private var configurations: [ModelConfiguration] = []

  /// Parses a text. Throws `ModelError` for the first error.
  public static func parse(_ bytes: [UInt8]) throws(ModelError) -> ManagedObjectModel {
    try bytes.withUnsafeBytes { (bytes) -> Result<ManagedObjectModel, ModelError> in
      var parser = ModelParser(bytes)
      do {
        if let offset = bytes.firstInvalidUTF8 {
          throw XMLError("the text is not UTF-8", at: offset)
        }
        return .success(try parser.model())
      } catch let error as ModelError {
        return .failure(error)
      } catch {
        let notation = error as? any NotationError
        return .failure(
          ModelError(
            notation?.message ?? "\(error)", at: parser.places.position(notation?.offset ?? 0)))
      }
    }.get()
  }

  private init(_ bytes: UnsafeRawBufferPointer) {
    text = XMLScanner(bytes)
    places = TextPlaces(bytes, TextPosition(line: 1, column: 1))
  }

  // MARK: Elements

  private mutating func model() throws -> ManagedObjectModel {
    try text.skipProlog()
    let tag = try text.openingTag()
    guard tag.name == "model" else {
      throw XMLError("expected <model>, found <\(tag.name)>", at: tag.offset)
    }
    try children(of: tag) { parser, child in
      switch child.name {
      case "entity": try parser.entity(child)
      case "configuration": try parser.configuration(child)
      default: try parser.skip(child)
      }
    }
    try text.skipMisc()
    guard text.isAtEnd else { throw XMLError("unexpected text after </model>", at: text.place) }
    return try ManagedObjectModel(
      entities: entities, configurations: configurations,
      isUsedWithCloudKit: tag.isYes("usedWithCloudKit"))
  }

  /// Passes each element in another to `body`, which takes it.
  private mutating func children(
    of tag: XMLScanner.Tag, _ body: (inout Self, XMLScanner.Tag) throws -> Void
  ) throws {
    if tag.isEmpty { return }
    guard depth < Self.deepest else {
      throw XMLError("nested more than \(Self.deepest) levels deep", at: tag.offset)
    }
    depth += 1
    defer { depth -= 1 }
    while true {
      try text.skipText()
      if try text.closes(tag.name) { return }
      try body(&self, try text.openingTag())
    }
  }

  private mutating func skip(_ tag: XMLScanner.Tag) throws {
    try children(of: tag) { parser, child in try parser.skip(child) }
  }

  /// The attribute that an element must have.
  private func required(_ attribute: String, of tag: XMLScanner.Tag) throws -> String {
    guard let value = tag[attribute], !value.isEmpty else {
      throw XMLError("<\(tag.name)> has no \(attribute)", at: tag.offset)
    }
    return value
  }

  /// A choice by an attribute; nil if the element does not have it.
  private func choice<Choice: RawRepresentable & CaseIterable>(
    _ attribute: String, of tag: XMLScanner.Tag, orElse other: Choice
  ) throws -> Choice where Choice.RawValue == String {
    guard let text = tag.attributes.first(where: { $0.name == attribute }) else { return other }
    if let choice = Choice(rawValue: text.value) { return choice }
    let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    throw XMLError(
      "\(attribute) is '\(text.value.visible)', expected one of \(known)", at: text.offset)
  }

  // MARK: Entities

  private mutating func configuration(_ tag: XMLScanner.Tag) throws {
    var configuration = ModelConfiguration(name: try required("name", of: tag), entities: [])
    try children(of: tag) { parser, child in
      if child.name == "memberEntity" {
        configuration.entities.append(try parser.required("name", of: child))
      }
      try parser.skip(child)
    }
    configurations.append(configuration)
  }

  private mutating func entity(_ tag: XMLScanner.Tag) throws {
    let name = try required("name", of: tag)
    var entity = EntityDescription(name: name, position: places.position(tag.offset))
    entity.parent = tag["parentEntity"]
    entity.isAbstract = tag.isYes("isAbstract")
    entity.renamingIdentifier = tag.renamingIdentifier
    var names = NamesMet()
    try children(of: tag) { parser, child in
      if ["attribute", "relationship"].contains(child.name) {
        let property = try parser.required("name", of: child)
        guard names.insert(property) else {
          throw XMLError("'\(name)' has two properties named '\(property)'", at: child.offset)
        }
      }
      switch child.name {
      case "attribute": entity.attributes.append(try parser.attribute(child, of: name))
      case "relationship": entity.relationships.append(try parser.relationship(child, of: name))
      case "uniquenessConstraints":
        entity.uniquenessConstraints += try parser.groups(in: child, of: "constraint", by: "value")
      case "fetchIndex":
        let properties = try parser.values(in: child, of: "fetchIndexElement", by: "property")
        entity.indexes.append(FetchIndex(name: child["name"] ?? "", properties: properties))
      case "compoundIndexes":
        entity.indexes += try parser.groups(in: child, of: "index", by: "value")
          .map { FetchIndex(name: "", properties: $0) }
      case "userInfo": entity.userInfo = try parser.userInfo(child)
      default: try parser.skip(child)
      }
    }
    entities.append(entity)
  }

  /// For each element in another, the values of an attribute of the elements in it.
  private mutating func groups(
    in tag: XMLScanner.Tag, of element: String, by attribute: String
  ) throws -> [[String]] {
    var groups: [[String]] = []
    try children(of: tag) { parser, group in
      groups.append(try parser.values(in: group, of: element, by: attribute))
    }
    return groups
  }

  /// The values of an attribute of the elements in another.
  private mutating func values(
    in tag: XMLScanner.Tag, of element: String, by attribute: String
  ) throws -> [String] {
    var values: [String] = []
    try children(of: tag) { parser, child in
      if child.name == element, let value = child[attribute] { values.append(value) }
      try parser.skip(child)
    }
    return values
  }

  private mutating func userInfo(_ tag: XMLScanner.Tag) throws -> [UserInfoEntry] {
    var entries: [UserInfoEntry] = []
    try children(of: tag) { parser, child in
      if child.name == "entry", let key = child["key"] {
        entries.append(UserInfoEntry(key: key, value: child["value"] ?? ""))
      }
      try parser.skip(child)
    }
    return entries
  }

  // MARK: Properties

  private mutating func attribute(
    _ tag: XMLScanner.Tag, of entity: String
  ) throws -> AttributeDescription {
    let type = try choice("attributeType", of: tag, orElse: AttributeType.undefined)
    var attribute = AttributeDescription(
      name: try required("name", of: tag), entity: entity, type: type,
      position: places.position(tag.offset))
    attribute.isOptional = tag.isYes("optional")
    attribute.isTransient = tag.isYes("transient")
    attribute.isDerived = tag.isYes("derived") || tag["derivationExpression"] != nil
    attribute.defaultValue = tag.defaultValue(of: type)
    attribute.usesScalarValueType = tag.isYes("usesScalarValueType")
    attribute.allowsExternalBinaryDataStorage = tag.isYes("allowsExternalBinaryDataStorage")
    attribute.allowsCloudEncryption = tag.isYes("allowsCloudEncryption")
    attribute.valueTransformerName = tag["valueTransformerName"]
    attribute.renamingIdentifier = tag.renamingIdentifier
    try children(of: tag) { parser, child in
      if child.name == "userInfo" { return attribute.userInfo = try parser.userInfo(child) }
      try parser.skip(child)
    }
    return attribute
  }

  private mutating func relationship(
    _ tag: XMLScanner.Tag, of entity: String
  ) throws -> RelationshipDescription {
    var relationship = RelationshipDescription(
      name: try required("name", of: tag), entity: entity,
      deleteRule: try choice("deletionRule", of: tag, orElse: DeleteRule.noAction),
      position: places.position(tag.offset))
    relationship.destination = tag["destinationEntity"]
    relationship.inverseName = tag["inverseName"]
    relationship.isOptional = tag.isYes("optional")
    relationship.isTransient = tag.isYes("transient")
    relationship.isToMany = tag.isYes("toMany")
    relationship.isOrdered = tag.isYes("ordered")
    let (fewest, most) = (tag["minCount"].flatMap { Int($0) }, tag["maxCount"].flatMap { Int($0) })
    relationship.count = (fewest ?? 0)...max(fewest ?? 0, most ?? 0)
    relationship.renamingIdentifier = tag.renamingIdentifier
    try children(of: tag) { parser, child in
      if child.name == "userInfo" { return relationship.userInfo = try parser.userInfo(child) }
      try parser.skip(child)
    }
    return relationship
  }
}

extension XMLScanner.Tag {
  /// Whether an attribute says yes. A missing one says no.
  fileprivate func isYes(_ attribute: String) -> Bool {
    guard let value = self[attribute] else { return false }
    return ["YES", "TRUE", "1"].contains(value.uppercased())
  }

  /// The former name of what the element defines. `elementID` carries it, too, after a change of
  /// the name in Xcode.
  fileprivate var renamingIdentifier: String? { self["renamingIdentifier"] ?? self["elementID"] }

  /// The default of an attribute. That of a date is in seconds since 2001.
  fileprivate func defaultValue(of type: AttributeType) -> FieldValue? {
    if type == .date {
      let seconds = self["defaultDateTimeInterval"].flatMap { Double($0) }
      return seconds.flatMap { Timestamp(exactly: $0) }.map { .timestamp($0) }
    }
    guard let text = self["defaultValueString"] else { return nil }
    let number: FieldValue? =
      switch type {
      case .integer16, .integer32, .integer64:
        (Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }).map { .int64($0) }
      case .boolean: .int64(isYes("defaultValueString") ? 1 : 0)
      case .decimal, .double, .float: Double(text).map { .double($0) }
      case .string, .date, .binary, .uuid, .uri, .transformable, .composite, .objectID, .undefined:
        nil
      }
    return number ?? .string(text)
  }
}
