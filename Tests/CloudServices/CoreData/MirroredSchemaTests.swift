internal import CloudModel
internal import CloudServices
internal import CoreDataModel
internal import Testing

/// The schema that NSPersistentCloudKitContainer creates from a model (E1 to E12).
@Suite("Core Data: from a model to a schema")
struct MirroredSchemaTests {
  /// The fields of a type in a schema, as lines of the schema language.
  private static func lines(_ type: String, in schema: Schema) throws -> [String] {
    try #require(schema.type(type), "\(schema.types.map(\.name.text))").fields.map {
      $0.schemaLine()
    }
  }

  private static let all = """
    <entity name="All">
      <attribute name="i16" optional="YES" attributeType="Integer 16"/>
      <attribute name="i32" optional="YES" attributeType="Integer 32"/>
      <attribute name="i64" optional="YES" attributeType="Integer 64"/>
      <attribute name="flag" optional="YES" attributeType="Boolean"/>
      <attribute name="double" optional="YES" attributeType="Double"/>
      <attribute name="float" optional="YES" attributeType="Float"/>
      <attribute name="decimal" optional="YES" attributeType="Decimal"/>
      <attribute name="date" optional="YES" attributeType="Date"/>
      <attribute name="text" optional="YES" attributeType="String"/>
      <attribute name="id" optional="YES" attributeType="UUID"/>
      <attribute name="link" optional="YES" attributeType="URI"/>
      <attribute name="data" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
      <attribute name="tags" optional="YES" attributeType="Transformable"/>
      <attribute name="place" optional="YES" attributeType="Composite"/>
      <attribute name="shown" optional="YES" transient="YES" attributeType="String"/>
      <attribute name="count" optional="YES" derived="YES" derivationExpression="a.@count" \
    attributeType="Integer 64"/>
      <attribute name="mine" optional="YES" attributeType="String"><userInfo>
        <entry key="NSCloudKitMirroringDelegateIgnoredPropertyKey" value="YES"/></userInfo></attribute>
      <attribute name="ckRecordID" optional="YES" attributeType="String"/>
    </entity>
    """

  @Test("E2, E4, E5: each attribute has a field of its type; transient and derived ones have none")
  func attributes() throws {
    let schema = try Models.mirror(Self.all).schema(.justInTime)
    #expect(
      try Self.lines("CD_All", in: schema) == [
        "CD_data BYTES QUERYABLE SORTABLE",
        "CD_date TIMESTAMP QUERYABLE SORTABLE",
        "CD_decimal DOUBLE QUERYABLE SORTABLE",
        "CD_double DOUBLE QUERYABLE SORTABLE",
        "CD_entityName STRING QUERYABLE SEARCHABLE SORTABLE",
        "CD_flag INT64 QUERYABLE SORTABLE",
        "CD_float DOUBLE QUERYABLE SORTABLE",
        "CD_i16 INT64 QUERYABLE SORTABLE",
        "CD_i32 INT64 QUERYABLE SORTABLE",
        "CD_i64 INT64 QUERYABLE SORTABLE",
        "CD_id STRING QUERYABLE SEARCHABLE SORTABLE",
        "CD_link STRING QUERYABLE SEARCHABLE SORTABLE",
        "CD_place BYTES QUERYABLE SORTABLE",
        "CD_tags BYTES QUERYABLE SORTABLE",
        "CD_text STRING QUERYABLE SEARCHABLE SORTABLE",
      ])
    #expect(schema.types.map(\.name.text) == ["CD_All", "Users"])
    #expect(schema.type("Users")?.fields.map { $0.schemaLine() } == ["roles LIST<INT64>"])
    #expect(schema.type("CD_All")?.grants == .ofNewType)
  }

  @Test(
    "E3, E6: initializeCloudKitSchema adds companions of variable-length values and move receipts")
  func companions() throws {
    let mirror = try Models.mirror(Self.all)
    let just = try Self.lines("CD_All", in: mirror.schema(.justInTime))
    let initialized = try Self.lines("CD_All", in: mirror.schema(.initialize))
    #expect(
      initialized.filter { !just.contains($0) } == [
        "CD_data_ckAsset ASSET", "CD_link_ckAsset ASSET",
        "CD_moveReceipt BYTES QUERYABLE SORTABLE", "CD_moveReceipt_ckAsset ASSET",
        "CD_place_ckAsset ASSET", "CD_tags_ckAsset ASSET", "CD_text_ckAsset ASSET",
      ])
    #expect(just.allSatisfy(initialized.contains))
  }

  @Test("E1: sub-entities live in the type of their root, which has the fields of all of them")
  func inheritance() throws {
    let schema = try Models.mirror(Models.animals).schema(.justInTime)
    #expect(schema.types.map(\.name.text) == ["CD_Animal", "CD_Owner", "Users"])
    #expect(
      try Self.lines("CD_Animal", in: schema).map { $0.prefix { $0 != " " } } == [
        "CD_breed", "CD_entityName", "CD_lives", "CD_name", "CD_owner",
      ])
  }

  @Test("E1: the fields of a root do not depend on the order of its sub-entities")
  func siblings() throws {
    func entity(_ name: String, _ property: String) -> String {
      "<entity name=\"\(name)\" parentEntity=\"Root\">\(property)</entity>"
    }
    let text = entity("A", "<attribute name=\"v\" optional=\"YES\" attributeType=\"String\"/>")
    let uuid = entity("B", "<attribute name=\"v\" optional=\"YES\" attributeType=\"UUID\"/>")
    let toOne = entity(
      "C", "<relationship name=\"v\" optional=\"YES\" destinationEntity=\"Root\"/>")
    for order in [[text, uuid, toOne], [uuid, text, toOne], [toOne, uuid, text]] {
      let root = "<entity name=\"Root\"/>" + order.joined()
      let mirror = try Models.mirror(root)
      #expect(mirror.conflicts.isEmpty)
      #expect(
        try Self.lines("CD_Root", in: mirror.schema(.initialize)).filter { $0.hasPrefix("CD_v") }
          == ["CD_v STRING QUERYABLE SEARCHABLE SORTABLE", "CD_v_ckAsset ASSET"])
    }
  }

  @Test("E7: a to-one relationship is a STRING without a companion; the to-many side has no field")
  func toOne() throws {
    let schema = try Models.mirror(Models.blog).schema(.initialize)
    let post = try Self.lines("CD_Post", in: schema)
    #expect(post.contains("CD_author STRING QUERYABLE SEARCHABLE SORTABLE"))
    #expect(!post.contains { $0.hasPrefix("CD_author_ckAsset") })
    let author = try Self.lines("CD_Author", in: schema)
    #expect(!author.contains { $0.hasPrefix("CD_posts") })
    let cover = try Self.lines("CD_Cover", in: schema)
    #expect(cover.contains("CD_post STRING QUERYABLE SEARCHABLE SORTABLE"))
    #expect(post.contains("CD_cover STRING QUERYABLE SEARCHABLE SORTABLE"))
  }

  @Test("E8: many-to-many relationships have no fields; their links are records of the type CDMR")
  func manyToMany() throws {
    let schema = try Models.mirror(Models.blog).schema(.initialize)
    #expect(
      try Self.lines("CDMR", in: schema) == [
        "CD_entityNames STRING QUERYABLE SEARCHABLE SORTABLE",
        "CD_recordNames STRING QUERYABLE SEARCHABLE SORTABLE",
        "CD_relationships STRING QUERYABLE SEARCHABLE SORTABLE",
      ])
    let tag = try Self.lines("CD_Tag", in: schema)
    #expect(!tag.contains { $0.hasPrefix("CD_posts") })
    #expect(try Models.mirror(Models.animals).schema(.initialize).type("CDMR") == nil)
  }

  @Test("E10: an attribute that allows cloud encryption is ENCRYPTED, without indexes")
  func encryption() throws {
    let schema = try Models.mirror(
      """
      <entity name="E"><attribute name="secret" optional="YES" attributeType="String" \
      allowsCloudEncryption="YES"/></entity>
      """
    ).schema(.initialize)
    let lines = try Self.lines("CD_E", in: schema)
    #expect(lines.contains("CD_secret ENCRYPTED STRING"))
    #expect(lines.contains("CD_secret_ckAsset ASSET"))
  }

  @Test("E12: the public database needs recordName and modifiedAt QUERYABLE on every type")
  func publicIndexes() throws {
    let mirror = try Models.mirror(Models.blog)
    for type in mirror.schema(.initialize, isPublic: true).types {
      let lines = type.indexedSystemFields.map { $0.schemaLine() }
      let wanted = ["\"___modTime\" TIMESTAMP QUERYABLE", "\"___recordID\" REFERENCE QUERYABLE"]
      #expect(lines == (type.name == .users ? [] : wanted), "\(type.name.text)")
    }
    #expect(mirror.schema(.initialize).types.allSatisfy { $0.indexedSystemFields.isEmpty })
  }

  @Test(
    "E19: a configuration limits the entities; an unknown or empty one is refused in words of Core Data"
  )
  func configurations() throws {
    let text = """
      <entity name="A"/><entity name="B"/>
      <configuration name="Cloud"><memberEntity name="B"/></configuration>
      <configuration name="Empty"/>
      """
    let schema = try Models.mirror(text, configuration: "Cloud").schema(.justInTime)
    #expect(schema.types.map(\.name.text) == ["CD_B", "Users"])
    for (name, message) in [
      (
        "Clod",
        "Unable to find a configuration named 'Clod' in the specified managed object model."
      ),
      ("Empty", "The configuration named 'Empty' does not contain any entities."),
    ] {
      let error = try #require(throws: CloudError.self) {
        try Models.mirror(text, configuration: name)
      }
      #expect(error.message == message)
    }
  }
}

/// Models that tests share.
enum Models {
  static func mirror(
    _ entities: String, configuration: String? = nil
  ) throws -> MirroredModel {
    try MirroredModel(model(entities), configuration: configuration)
  }

  static func model(_ entities: String) throws -> ManagedObjectModel {
    try ModelParser.parse(Array("<model>\n\(entities)\n</model>".utf8))
  }

  /// All kinds of relationships, and values of all sizes.
  static let blog = """
    <entity name="Author">
      <attribute name="name" optional="YES" attributeType="String"/>
      <relationship name="posts" optional="YES" toMany="YES" deletionRule="Cascade" \
    destinationEntity="Post" inverseName="author"/>
      <relationship name="friends" optional="YES" toMany="YES" deletionRule="Nullify" \
    destinationEntity="Author" inverseName="friends"/>
    </entity>
    <entity name="Post">
      <attribute name="title" optional="YES" attributeType="String"/>
      <attribute name="body" optional="YES" attributeType="String"/>
      <attribute name="image" optional="YES" attributeType="Binary"/>
      <attribute name="isDraft" attributeType="Boolean" defaultValueString="YES"/>
      <attribute name="rating" optional="YES" attributeType="Integer 16"/>
      <attribute name="id" optional="YES" attributeType="UUID"/>
      <attribute name="written" optional="YES" attributeType="Date"/>
      <attribute name="weight" optional="YES" attributeType="Decimal" allowsCloudEncryption="YES"/>
      <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" \
    destinationEntity="Author" inverseName="posts"/>
      <relationship name="cover" optional="YES" maxCount="1" deletionRule="Cascade" \
    destinationEntity="Cover" inverseName="post"/>
      <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" \
    destinationEntity="Tag" inverseName="posts"/>
      <relationship name="related" optional="YES" toMany="YES" deletionRule="Nullify" \
    destinationEntity="Post" inverseName="citedBy"/>
      <relationship name="citedBy" optional="YES" toMany="YES" deletionRule="Nullify" \
    destinationEntity="Post" inverseName="related"/>
    </entity>
    <entity name="Cover">
      <attribute name="path" optional="YES" attributeType="URI"/>
      <relationship name="post" optional="YES" maxCount="1" deletionRule="Nullify" \
    destinationEntity="Post" inverseName="cover"/>
    </entity>
    <entity name="Tag">
      <attribute name="name" optional="YES" attributeType="String"/>
      <relationship name="posts" optional="YES" toMany="YES" deletionRule="Nullify" \
    destinationEntity="Post" inverseName="tags"/>
    </entity>
    """

  /// Entities that inherit from an abstract one.
  static let animals = """
    <entity name="Animal" isAbstract="YES">
      <attribute name="name" optional="YES" attributeType="String"/>
      <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" \
    destinationEntity="Owner" inverseName="animals"/>
    </entity>
    <entity name="Dog" parentEntity="Animal">
      <attribute name="breed" optional="YES" attributeType="String"/>
    </entity>
    <entity name="Cat" parentEntity="Animal">
      <attribute name="lives" optional="YES" attributeType="Integer 16"/>
    </entity>
    <entity name="Owner">
      <relationship name="animals" optional="YES" toMany="YES" deletionRule="Nullify" \
    destinationEntity="Animal" inverseName="owner"/>
    </entity>
    """
}
