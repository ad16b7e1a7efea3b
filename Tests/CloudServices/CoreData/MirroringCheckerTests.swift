internal import CloudModel
internal import CloudServices
internal import CoreDataModel
internal import Testing

/// What keeps a model from being mirrored, in the words of Core Data's error 134060 (E13 to E24).
@Suite("Core Data: what a model must satisfy")
struct MirroringCheckerTests {
  private static func messages(
    _ entities: String, configuration: String? = nil
  ) throws -> [String] {
    MirroringChecker.findings(in: try Models.mirror(entities, configuration: configuration)).map(
      \.message)
  }

  /// One relationship of A to B, and one back.
  private static func relationship(_ attributes: String, inverse: String? = "a") -> String {
    let name = inverse.map { "inverseName=\"\($0)\"" } ?? ""
    return """
      <entity name="A"><relationship name="b" \(attributes) destinationEntity="B" \(name)/></entity>
      <entity name="B"><relationship name="a" optional="YES" destinationEntity="A" \
      inverseName="b"/></entity>
      """
  }

  private static func attribute(_ attributes: String, _ content: String = "") -> String {
    "<entity name=\"A\"><attribute name=\"x\" \(attributes)>\(content)</attribute></entity>"
  }

  private static func ignored(_ element: String, _ attributes: String) -> String {
    """
    <entity name="A"><\(element) name="x" \(attributes)><userInfo>
    <entry key="NSCloudKitMirroringDelegateIgnoredPropertyKey" value="YES"/></userInfo></\(element)>
    </entity>
    """
  }

  @Test("models that satisfy all rules have no findings")
  func noFindings() throws {
    for text in [
      Models.blog, Models.animals, Self.relationship("optional=\"YES\""),
      Self.relationship("optional=\"YES\" deletionRule=\"Cascade\""),
      Self.relationship("optional=\"YES\" deletionRule=\"No Action\""),
      Self.attribute("optional=\"YES\" attributeType=\"String\""),
      Self.attribute("attributeType=\"String\" defaultValueString=\"\""),
      Self.attribute("attributeType=\"Date\" defaultDateTimeInterval=\"0\""),
      Self.attribute(
        "optional=\"YES\" attributeType=\"Transformable\" valueTransformerName=\"Mine\""),
    ] {
      #expect(try Self.messages(text) == [], "\(text)")
    }
  }

  /// Faulty models with their findings.
  private static let cases: [(String, String)] = [
    (
      relationship("optional=\"YES\"", inverse: nil),
      "CloudKit integration requires that all relationships have an inverse, the following do not: A: b"
    ),
    (
      relationship("optional=\"YES\" toMany=\"YES\" ordered=\"YES\""),
      "CloudKit integration does not support ordered relationships. The following relationships are marked ordered: A: b"
    ),
    (
      attribute("attributeType=\"String\""),
      "CloudKit integration requires that all attributes be optional, or have a default value set. The following attributes are marked non-optional but do not have a default value: A: x"
    ),
    (
      attribute("transient=\"YES\" attributeType=\"String\""),
      "CloudKit integration requires that all attributes be optional, or have a default value set. The following attributes are marked non-optional but do not have a default value: A: x"
    ),
    (
      relationship(""),
      "CloudKit integration requires that all relationships be optional, the following are not: A: b"
    ),
    (
      attribute("optional=\"YES\""),
      "CloudKit integration does not support all attribute types. The following entities have attributes of an unsupported type: A: x - Unsupported attribute type (Undefined)"
    ),
    (
      attribute(
        "optional=\"YES\" attributeType=\"Transformable\" valueTransformerName=\"NSIsNil\""),
      "CloudKit integration requires that the value transformers for transformable attributes are available via +[NSValueTransformer valueTransformerForName:] and allow reverse transformation: A: x - Doesn't allow reverse transformation"
    ),
    (
      ignored("attribute", "attributeType=\"String\" defaultValueString=\"\""),
      "The following attributes have invalid values for 'NSCloudKitMirroringDelegateIgnoredPropertyKey': A: x - attribute is not optional"
    ),
    (
      ignored("relationship", "optional=\"YES\" destinationEntity=\"A\" inverseName=\"x\""),
      "CloudKit integration does not support ignored relationships. The following entities and relationships are marked ignored using 'NSCloudKitMirroringDelegateIgnoredPropertyKey': A:x"
    ),
    (
      relationship("optional=\"YES\" deletionRule=\"Deny\""),
      "The following relationships are configured with unsupported delete rules: A:b - Deny"
    ),
    (
      """
      <entity name="A"><uniquenessConstraints><uniquenessConstraint><constraint value="x"/>
      <constraint value="y"/></uniquenessConstraint></uniquenessConstraints></entity>
      """,
      "CloudKit integration does not support unique constraints. The following entities are constrained: A: x, y"
    ),
  ]

  @Test(
    "E13 to E22: each rule has Core Data's heading and line",
    arguments: cases)
  func rules(text: String, message: String) throws {
    #expect(try Self.messages(text) == [message])
  }

  @Test("E19: a relationship must not leave its configuration")
  func otherConfiguration() throws {
    let text =
      Self.relationship("optional=\"YES\"")
      + "<configuration name=\"Cloud\"><memberEntity name=\"A\"/></configuration>"
    #expect(try Self.messages(text) == [])
    #expect(
      try Self.messages(text, configuration: "Cloud") == [
        "CloudKit integration does not allow relationships to objects that aren't sync'd. The "
          + "following relationships have destination entities that not in the specified "
          + "configuration. A: b - B"
      ])
  }

  @Test("E24: findings are in Core Data's order: by rule, then by line without regard to case")
  func order() throws {
    let text = """
      <entity name="b"><attribute name="x" attributeType="String"/>
      <relationship name="r" deletionRule="Deny" destinationEntity="b"/></entity>
      <entity name="A"><attribute name="x" attributeType="String"/></entity>
      <entity name="c" parentEntity="A"/>
      """
    let findings = MirroringChecker.findings(in: try Models.mirror(text))
    #expect(findings.map(\.line) == ["b: r", "A: x", "b: x", "c: x", "b: r", "b:r - Deny"])
    #expect(
      findings.map(\.rule.code) == [
        "no-inverse", "required-attribute", "required-attribute", "required-attribute",
        "required-relationship", "deny",
      ])
    // An inherited property is reported where it is defined.
    #expect(findings.map(\.position.line) == [3, 4, 2, 4, 3, 3])
  }

  @Test("names that Core Data or another property needs, and names that CloudKit cannot have")
  func names() throws {
    let text = """
      <entity name="E"><attribute name="entityName" optional="YES" attributeType="String"/>
      <attribute name="größe" optional="YES" attributeType="Double"/>
      <attribute name="a" optional="YES" attributeType="String"/>
      <attribute name="a_ckAsset" optional="YES" attributeType="String"/></entity>
      <entity name="F" parentEntity="E"><attribute name="b" optional="YES" attributeType="String"/>
      </entity>
      <entity name="G" parentEntity="E"><attribute name="b" optional="YES" attributeType="Date"/>
      </entity>
      <entity name="Straße"/>
      """
    let mirror = try Models.mirror(text)
    let findings = MirroringChecker.findings(in: mirror)
    #expect(
      findings.map(\.line) == [
        "E: entityName - CD_entityName", "E: größe",
        "E: a_ckAsset - CD_a_ckAsset is STRING, but ASSET for E",
        "G: b - CD_b is TIMESTAMP, but STRING for F", "Straße",
      ])
    #expect(mirror.schema(.initialize).types.map(\.name.text) == ["CD_E", "Users"])
  }

  @Test("E23: renamed entities and relationships keep a store from being migrated")
  func renaming() throws {
    let old = try Models.mirror(
      """
      <entity name="CDProfile"><relationship name="old" optional="YES" \
      destinationEntity="CDProfile" inverseName="old"/></entity>
      """)
    let new = try Models.mirror(
      """
      <entity name="CDProfileV3" elementID="CDProfile">
      <relationship name="new" optional="YES" renamingIdentifier="old" \
      destinationEntity="CDProfileV3" inverseName="new"/></entity>
      """)
    let findings = MirroringChecker.findings(in: new, migratingFrom: old)
    #expect(
      findings.map(\.message) == [
        "Cannot migrate store in-place: CloudKit integration forbids renaming 'CDProfile' to "
          + "'CDProfileV3'. Older devices can't process the new records",
        "CloudKit integration forbids renaming relationships: CDProfileV3: new - renamed from "
          + "'old'",
      ])
    #expect(MirroringChecker.findings(in: old, migratingFrom: new).isEmpty)
    // A version that could not be mirrored has no records to lose.
    let unmirrored = try Models.mirror(
      "<entity name=\"CDProfile\"><attribute name=\"x\" attributeType=\"String\"/></entity>")
    #expect(MirroringChecker.findings(in: new, migratingFrom: unmirrored).isEmpty)
  }
}
