import CloudModel
import Testing

@testable import CoreDataModel

/// The XML of `.xcdatamodel` folders, as Xcode writes it.
@Suite("Model files")
struct ModelParserTests {
  /// Parses the entities of a model.
  private static func parse(_ entities: String) throws -> ManagedObjectModel {
    try ModelParser.parse(
      Array(
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        \(entities)
        </model>
        """.utf8))
  }

  @Test("an attribute has its type, flags, default and position")
  func attribute() throws {
    let model = try Self.parse(
      """
      <entity name="Post" representedClassName="Post" syncable="YES" codeGenerationType="class">
        <attribute name="title" optional="YES" attributeType="String" defaultValueString="New"/>
        <attribute name="secret" attributeType="Binary" allowsExternalBinaryDataStorage="YES" \
      allowsCloudEncryption="YES" renamingIdentifier="hidden"/>
        <attribute name="count" attributeType="Integer 32" defaultValueString="7" \
      usesScalarValueType="YES"/>
      </entity>
      """)
    let attributes = try #require(model["Post"]).attributes
    #expect(attributes.map(\.name) == ["title", "secret", "count"])
    #expect(attributes.map(\.type) == [.string, .binary, .integer32])
    #expect(attributes.map(\.isOptional) == [true, false, false])
    #expect(attributes.map(\.defaultValue) == [.string("New"), nil, .int64(7)])
    #expect(attributes[1].allowsExternalBinaryDataStorage && attributes[1].allowsCloudEncryption)
    #expect(attributes[1].renamingIdentifier == "hidden")
    #expect(attributes[2].usesScalarValueType && !attributes[0].usesScalarValueType)
    #expect(attributes.map(\.position.text) == ["4:3", "5:3", "6:3"])
  }

  @Test("each type of an attribute is read, and a missing one is Undefined")
  func attributeTypes() throws {
    let named = AttributeType.allCases.map {
      "<attribute name=\"a\($0)\" attributeType=\"\($0.rawValue)\"/>"
    }
    let model = try Self.parse(
      "<entity name=\"E\">\(named.joined())<attribute name=\"none\"/></entity>")
    #expect(model["E"]?.attributes.map(\.type) == AttributeType.allCases + [.undefined])
  }

  @Test(
    "defaults have the type of their attribute; that of a date is in seconds since 2001",
    arguments: [
      ("Boolean", "defaultValueString=\"YES\"", FieldValue.int64(1)),
      ("Boolean", "defaultValueString=\"NO\"", .int64(0)),
      ("Decimal", "defaultValueString=\"1.5\"", .double(1.5)),
      ("String", "defaultValueString=\"\"", .string("")),
      ("Integer 16", "defaultValueString=\"many\"", .string("many")),
      ("Date", "defaultDateTimeInterval=\"1\"", .timestamp(.init(milliseconds: 978_307_201_000))),
    ])
  func defaults(type: String, attribute: String, value: FieldValue) throws {
    let model = try Self.parse(
      "<entity name=\"E\"><attribute name=\"a\" attributeType=\"\(type)\" \(attribute)/></entity>")
    #expect(model["E"]?.attributes.first?.defaultValue == value)
  }

  @Test("a relationship has its sides, counts, rule and order")
  func relationship() throws {
    let model = try Self.parse(
      """
      <entity name="A">
        <relationship name="bs" optional="YES" toMany="YES" minCount="1" maxCount="3" ordered="YES" \
      deletionRule="Deny" destinationEntity="B" inverseName="a" inverseEntity="B"/>
      </entity>
      <entity name="B">
        <relationship name="a" optional="YES" maxCount="1" deletionRule="Nullify" \
      destinationEntity="A" inverseName="bs" inverseEntity="A"/>
        <relationship name="alone" optional="YES" destinationEntity="A"/>
      </entity>
      """)
    let many = try #require(model["A"]?.relationships.first)
    #expect(many.isToMany && many.isOrdered && many.isOptional)
    #expect(many.deleteRule == .deny && many.count == 1...3)
    #expect(model.inverse(of: many)?.name == "a")
    let alone = try #require(model["B"]?.relationships.last)
    #expect(alone.deleteRule == .noAction)
    #expect(model.inverse(of: alone) == nil)
  }

  @Test("an entity inherits properties, and the inverse may be on its parent")
  func inheritance() throws {
    let model = try Self.parse(
      """
      <entity name="Dog" parentEntity="Animal"><attribute name="breed" attributeType="String"/>
      </entity>
      <entity name="Animal" isAbstract="YES"><attribute name="name" attributeType="String"/>
        <relationship name="owner" destinationEntity="Person" inverseName="dogs"/></entity>
      <entity name="Person">
        <relationship name="dogs" toMany="YES" destinationEntity="Dog" inverseName="owner"/></entity>
      """)
    let dog = try #require(model["Dog"])
    #expect(model.attributes(of: dog).map(\.name) == ["name", "breed"])
    #expect(model.lineage(of: dog).map(\.name) == ["Dog", "Animal"])
    let dogs = try #require(model["Person"]?.relationships.first)
    #expect(model.inverse(of: dogs)?.entity == "Animal")
  }

  @Test("constraints, indexes, user info, and configurations")
  func rest() throws {
    let model = try Self.parse(
      """
      <entity name="E" elementID="Old">
        <attribute name="a" attributeType="String"/>
        <fetchIndex name="byA"><fetchIndexElement property="a" type="Binary" order="ascending"/>
        </fetchIndex>
        <compoundIndexes><compoundIndex><index value="a"/><index value="b"/></compoundIndex>
        </compoundIndexes>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="a"/><constraint value="b"/></uniquenessConstraint>
        </uniquenessConstraints>
        <userInfo><entry key="k" value="v &amp; w"/></userInfo>
      </entity>
      <configuration name="Cloud"><memberEntity name="E"/></configuration>
      """)
    let entity = try #require(model["E"])
    #expect(entity.uniquenessConstraints == [["a", "b"]])
    #expect(entity.indexes.map(\.name) == ["byA", ""])
    #expect(entity.indexes.map(\.properties) == [["a"], ["a", "b"]])
    #expect(entity.userInfo == [UserInfoEntry(key: "k", value: "v & w")])
    #expect(entity.renamingIdentifier == "Old")
    #expect(model.configurations == [ModelConfiguration(name: "Cloud", entities: ["E"])])
  }

  @Test("unknown elements and attributes are skipped, and so is a document type with its entities")
  func skipsUnknown() throws {
    let text = """
      <?xml version="1.0"?>
      <!DOCTYPE model [ <!ENTITY a "]>"> <!-- ]> --> <!ENTITY b "&a;&a;"> ]>
      <model future="1"><entity name="E" future="x>y"><future><deep><entity name="No"/>text
      <![CDATA[</entity>]]></deep></future></entity><!-- <entity/> --></model>
      <!-- the end -->
      """
    let model = try ModelParser.parse(Array(text.utf8))
    #expect(model.entities.map(\.name) == ["E"])
  }

  /// A faulty text, with `‸` before the character that the error points at.
  @Test(
    "an error has the line and the column of what is wrong",
    arguments: [
      ("‸", "the text ends"),
      ("‸<plist/>", "expected <model>, found <plist>"),
      ("<model>\n  ‸<entity/></model>", "<entity> has no name"),
      ("<model>\n<entity name=\"A\">‸</model>", "expected </entity>, found </model>"),
      ("<model><entity name=\"A\" ‸name=\"B\"/></model>", "appears twice"),
      ("<model><entity ‸name=A/></model>", "not in quotes"),
      ("<model><entity name=\"‸&lol;\"/></model>", "unknown entity &lol;"),
      ("<model><entity ‸name=\"a<b\"/></model>", "contains <"),
      (
        "<model><entity name=\"é\"><attribute name=\"é\" ‸attributeType=\"Text\"/></entity></model>",
        "attributeType is 'Text', expected one of Integer 16,"
      ),
      ("<model><entity name=\"A\"/>‸<entity name=\"A\"/></model>", "defined twice"),
      (
        "<model>‸<entity name=\"A\" parentEntity=\"Bass\"/><entity name=\"Base\"/></model>",
        "no entity 'Bass'"
      ),
      (
        "<model>‸<entity name=\"A\" parentEntity=\"B\"/><entity name=\"B\" parentEntity=\"A\"/></model>",
        "inherits from itself"
      ),
      (
        "<model><entity name=\"A\"><attribute name=\"a\"/>‸<relationship name=\"a\"/></entity></model>",
        "two properties named 'a'"
      ),
      ("<model/>‸<model/>", "unexpected text after </model>"),
    ])
  func errors(marked: String, message: String) throws {
    let mark = try #require(marked.firstIndex(of: "‸"))
    let before = marked[..<mark].unicodeScalars
    let line = before.count { $0 == "\n" } + 1
    let column = before.reversed().prefix { $0 != "\n" }.count + 1
    let text = marked[..<mark] + marked[marked.index(after: mark)...]
    let error = try #require(throws: ModelError.self) { try ModelParser.parse(Array(text.utf8)) }
    #expect(error.message.contains(message), "\(error.message)")
    #expect(error.position == TextPosition(line: line, column: column))
  }

  @Test("depth is bounded, and a long chain of parents costs linear time")
  func bounds() throws {
    let deep = String(repeating: "<x>", count: 100_000)
    let error = try #require(throws: ModelError.self) { try Self.parse(deep) }
    #expect(error.message == "nested more than 64 levels deep")
    let chain = (0..<20_000).map { "<entity name=\"E\($0)\" parentEntity=\"E\($0 + 1)\"/>" }
    let model = try Self.parse(chain.joined() + "<entity name=\"E20000\"/>")
    #expect(model.entities.count == 20_001)
  }

  @Test("text that is not UTF-8 is refused with its position")
  func notUTF8() throws {
    let error = try #require(throws: ModelError.self) {
      try ModelParser.parse(Array("<model>\n".utf8) + [0xFF])
    }
    #expect(error.position == TextPosition(line: 2, column: 1))
  }
}
