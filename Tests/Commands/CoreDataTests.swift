internal import Basics
internal import TestSupport
internal import Testing

/// Core Data's mirror as users see it: from a model to a schema, and records as objects (cli.md
/// §17).
@Suite("Core Data")
struct CoreDataTests {
  private static func xml(_ entities: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
    \(entities)
    </model>

    """
  }

  private static let blog = xml(
    """
    <entity name="Author"><attribute name="name" optional="YES" attributeType="String"/>
      <relationship name="posts" optional="YES" toMany="YES" destinationEntity="Post" \
    inverseName="author"/>
      <relationship name="friends" optional="YES" toMany="YES" destinationEntity="Author" \
    inverseName="friends"/></entity>
    <entity name="Post"><attribute name="title" optional="YES" attributeType="String"/>
      <attribute name="image" optional="YES" attributeType="Binary"/>
      <attribute name="isDraft" attributeType="Boolean" defaultValueString="YES"/>
      <attribute name="rating" optional="YES" attributeType="Integer 16"/>
      <attribute name="id" optional="YES" attributeType="UUID"/>
      <attribute name="written" optional="YES" attributeType="Date"/>
      <attribute name="secret" optional="YES" attributeType="String" allowsCloudEncryption="YES"/>
      <relationship name="author" optional="YES" destinationEntity="Author" inverseName="posts"/>
      <relationship name="tags" optional="YES" toMany="YES" destinationEntity="Tag" \
    inverseName="posts"/></entity>
    <entity name="Tag"><attribute name="name" optional="YES" attributeType="String"/>
      <relationship name="posts" optional="YES" toMany="YES" destinationEntity="Post" \
    inverseName="tags"/></entity>
    <entity name="Draft" parentEntity="Post"><attribute name="note" optional="YES" \
    attributeType="String"/></entity>
    """)

  private static let objects = """
    {"recordName":"A1","recordType":"Author","fields":{"name":"Ada","friends":["A2"]}}
    {"recordName":"A2","recordType":"Author","fields":{"name":"Bo"}}
    {"recordName":"P1","recordType":"Post","fields":{"title":"First","author":"A1","isDraft":true,\
    "rating":5,"id":"6f9619ff-8b86-d011-b42d-00cf4fc964ff","written":"2026-01-02T03:04:05Z",\
    "image":"AQID","secret":"s","tags":["T1","T2"]}}
    {"recordName":"P2","recordType":"Draft","fields":{"note":"later","author":"A9","tags":["T1"]}}
    {"recordName":"T1","recordType":"Tag","fields":{"name":"one","posts":["P1"]}}
    {"recordName":"T2","recordType":"Tag","fields":{"name":"two"}}

    """

  /// A store whose development schema is a model's.
  private static func fixture(
    _ model: String = blog
  ) throws -> (fixture: CommandFixture, model: String) {
    let fixture = try CommandFixture.withContainer()
    let path = try fixture.file("Blog.xcdatamodeld/Blog.xcdatamodel/contents", model)
    let bundle = FileSystem.parent(of: FileSystem.parent(of: path))
    let imported = try fixture.run(["schema", "import", bundle, "--yes"])
    #expect(imported.code == 0, "\(imported.errors)")
    return (fixture, bundle)
  }

  private static func importing(
    _ text: String, _ fixture: CommandFixture, _ model: String, _ options: [String] = []
  ) throws -> CommandFixture.Outcome {
    let path = try fixture.file("objects.jsonl", text)
    return try fixture.run(["import", path, "--core-data", "--model", model] + options)
  }

  @Test("objects are saved as the records that the mirror would export (core-data.md §1, §2)")
  func savesRecords() throws {
    let (fixture, model) = try Self.fixture()
    let outcome = try Self.importing(Self.objects, fixture, model)
    #expect(outcome.code == 0, "\(outcome.errors)")
    // Six objects and four links: that of P1 and T1 is given on both sides.
    #expect(outcome.errors.contains("10 created, 0 changed, 0 unchanged, zones created: 1"))
    let zone = ["-z", "com.apple.coredata.cloudkit.zone"]
    let post = try fixture.run(["record", "fetch", "P1", "--json"] + zone).output
    for text in [
      "\"recordType\":\"CD_Post\"", "\"CD_entityName\":\"Post\"", "\"CD_author\":\"A1\"",
      "\"CD_isDraft\":1", "\"CD_id\":\"6F9619FF-8B86-D011-B42D-00CF4FC964FF\"",
      "\"CD_rating\":5",
    ] {
      #expect(post.contains(text), "\(post)")
    }
    let draft = try fixture.run(["record", "fetch", "P2", "--json"] + zone).output
    // A required attribute has its default, and a sub-entity the type of its root.
    for text in [
      "\"recordType\":\"CD_Post\"", "\"CD_entityName\":\"Draft\"", "\"CD_isDraft\":1",
    ] {
      #expect(draft.contains(text), "\(draft)")
    }
    let links = try fixture.run(
      ["record", "list", "CDMR", "-f", "tsv", "--fields", "CD_relationships,CD_recordNames"] + zone
    ).output.split(separator: "\n").dropFirst().map { $0.split(separator: "\t").dropFirst() }
    #expect(
      Set(links.map { $0.joined(separator: " ") }) == [
        "friends:friends A1:A2", "tags:posts P1:T1", "tags:posts P1:T2", "tags:posts P2:T1",
      ])
    // The schema of the model has every field that the objects need.
    let difference = try fixture.run(["schema", "diff", model, "development"])
    #expect(difference.code == 0, "\(difference.output)")
  }

  @Test("model, schema, records, export, import: equal objects and equal records")
  func roundTrip() throws {
    let (first, model) = try Self.fixture()
    _ = try Self.importing(Self.objects, first, model)
    for options in [[], ["--model", model]] {
      let exported = try first.run(["export", "--core-data"] + options)
      #expect(exported.code == 0, "\(exported.errors)")
      let (second, other) = try Self.fixture()
      let imported = try Self.importing(exported.output, second, other)
      #expect(imported.errors.contains("10 created"), "\(imported.errors)")
      #expect(try second.run(["export", "--core-data"] + options).output == exported.output)
      #expect(try second.run(["export"]).output == first.run(["export"]).output)
    }
    let again = try Self.importing(
      try first.run(["export", "--core-data"]).output, first, model)
    #expect(again.errors.contains("0 created, 0 changed, 6 unchanged"), "\(again.errors)")
  }

  @Test("objects have relationships by name, on both sides of a link, with and without a model")
  func relationships() throws {
    let (fixture, model) = try Self.fixture()
    _ = try Self.importing(Self.objects, fixture, model)
    for options in [[], ["--model", model]] {
      let lines = try fixture.run(["record", "list", "--core-data", "-f", "jsonl"] + options).output
        .split(separator: "\n").map(String.init)
      #expect(lines.count == 6)
      func line(_ name: String) -> String {
        lines.first { $0.hasPrefix("{\"recordName\":\"\(name)\"") } ?? ""
      }
      #expect(line("A1").contains("\"friends\":[\"A2\"]"), "\(line("A1"))")
      #expect(line("A2").contains("\"friends\":[\"A1\"]"), "\(line("A2"))")
      #expect(line("P1").contains("\"author\":\"A1\""), "\(line("P1"))")
      #expect(line("T1").contains("\"posts\":[\"P1\",\"P2\"]"), "\(line("T1"))")
      #expect(line("P2").contains("\"recordType\":\"Draft\""), "\(line("P2"))")
      #expect(!lines.contains { $0.contains("CD_") })
    }
    let drafts = try fixture.run(["record", "list", "Draft", "--core-data", "-f", "names"])
    #expect(drafts.output == "P2\n")
    let posts = try fixture.run(
      ["record", "list", "Post", "--core-data", "--model", model, "-f", "names"])
    #expect(posts.output == "P1\nP2\n")
    #expect(try fixture.run("record list Pots --core-data").code == 1)
  }

  @Test("schema show --core-data lists properties with the entities that relationships lead to")
  func entities() throws {
    let (fixture, model) = try Self.fixture()
    _ = try Self.importing(Self.objects, fixture, model)
    let shown = try fixture.run(["schema", "show", "Post", "--core-data"])
    #expect(
      shown.output == """
        entity\tproperty\tkind\ttype\tdestination
        Post\tauthor\tto-one\t\tAuthor
        Post\tid\tattribute\tSTRING\t
        Post\timage\tattribute\tBYTES\t
        Post\tisDraft\tattribute\tINT64\t
        Post\tnote\tattribute\tSTRING\t
        Post\trating\tattribute\tINT64\t
        Post\tsecret\tattribute\tENCRYPTED STRING\t
        Post\ttags\tto-many\t\tTag
        Post\ttitle\tattribute\tSTRING\t
        Post\twritten\tattribute\tTIMESTAMP\t

        """)
  }

  @Test(
    "1.5: the largest values move to their companions until 700,000 bytes are left, and come back")
  func largeValues() throws {
    let (fixture, model) = try Self.fixture()
    let text = String(repeating: "é", count: 200_000)
    let image = Base64.encode([UInt8](repeating: 7, count: 450_000))
    let objects = """
      {"recordName":"P","recordType":"Post","fields":{"title":"\(text)","image":"\(image)"}}

      """
    #expect(try Self.importing(objects, fixture, model).code == 0)
    let zone = ["-z", "com.apple.coredata.cloudkit.zone"]
    let record = try fixture.run(["record", "fetch", "P", "--json"] + zone).output
    #expect(record.contains("CD_title\"") && record.contains("CD_image_ckAsset"))
    #expect(!record.contains("CD_title_ckAsset") && !record.contains("CD_image\""))
    let exported = try fixture.run(["export", "--core-data"]).output
    #expect(exported.contains(text) && exported.contains(image))
    let (second, other) = try Self.fixture()
    _ = try Self.importing(exported, second, other)
    #expect(try second.run(["export"]).output == fixture.run(["export"]).output)
  }

  @Test(
    "what a model does not have, or a value that does not fit, is an error with its place",
    arguments: [
      ("‸\"recordType\":\"Pots\",\"fields\":{}", "P: no entity 'Pots' in the model"),
      (
        "\"recordType\":\"Post\",\"fields\":{\"titel\":‸\"x\"}",
        "P: no property 'titel' in the entity 'Post'"
      ),
      (
        "\"recordType\":\"Post\",\"fields\":{\"rating\":‸40000}",
        "P: 'rating' is Integer 16, which the value does not fit"
      ),
      (
        "\"recordType\":\"Post\",\"fields\":{\"isDraft\":‸2}",
        "P: 'isDraft' is Boolean, which the value does not fit"
      ),
      (
        "\"recordType\":\"Post\",\"fields\":{\"id\":‸\"x\"}",
        "P: 'id' is UUID, which the value does not fit"
      ),
      (
        "\"recordType\":\"Post\",\"fields\":{\"author\":‸1}",
        "P: 'author' is a relationship: expected a record name"
      ),
      (
        "\"recordType\":\"Author\",\"fields\":{\"posts\":‸[\"P1\"]}",
        "P: 'posts' has no field: the other side refers to the object"
      ),
      (
        "\"recordType\":\"Post\",\"fields\":{\"tags\":‸[\"a:b\"]}",
        "P: 'tags' relates records whose names contain a colon, which a link cannot express"
      ),
    ])
  func importErrors(object: String, message: String) throws {
    let (fixture, model) = try Self.fixture()
    let marked = "{\"recordName\":\"P\",\(object)}\n"
    let mark = try #require(marked.firstIndex(of: "‸"))
    let text = marked[..<mark] + marked[marked.index(after: mark)...]
    let outcome = try Self.importing(String(text), fixture, model)
    #expect(outcome.code == 65)
    // A fault of the whole object is at its beginning.
    let column = object.first == "‸" ? 1 : marked[..<mark].count + 1
    #expect(outcome.errors.contains(":1:\(column): \(message)"), "\(outcome.errors)")
    #expect(try fixture.run(["export"]).output.isEmpty)
  }

  @Test("a schema in production is enough for the objects, and one without a field refuses them")
  func production() throws {
    let (fixture, model) = try Self.fixture()
    _ = try fixture.run("schema deploy")
    let deployed = try Self.importing(Self.objects, fixture, model, ["-e", "production"])
    #expect(deployed.code == 0, "\(deployed.errors)")
    let more = Self.blog.replacing(
      "<attribute name=\"rating\"", with: "<attribute name=\"stars\"")
    let newer = try fixture.file("Newer.xcdatamodel/contents", more)
    let check = try fixture.run(
      ["schema", "core-data", newer, "--check", "--against", "production"])
    #expect(check.code == 1)
    #expect(
      check.output == """
        \(newer):9:3: error: field 'CD_stars' of record type 'CD_Post' is not in production
          add: CD_stars INT64 QUERYABLE SORTABLE

        """)
    let object = "{\"recordName\":\"N\",\"recordType\":\"Post\",\"fields\":{\"stars\":1}}\n"
    let refused = try Self.importing(object, fixture, newer, ["-e", "production"])
    #expect(
      refused.errors.contains(
        "Cannot create or modify field 'CD_stars' in record 'CD_Post' in production schema"))
  }

  @Test("schema diff and schema check take a model wherever they take a schema file")
  func modelAsSchema() throws {
    let fixture = try CommandFixture()
    let model = try fixture.file("A.xcdatamodel/contents", Self.blog)
    let schema = fixture.directory.path + "/a.ckdb"
    #expect(try fixture.run(["schema", "core-data", model, "-o", schema]).code == 0)
    for sides in [[model, schema], [schema, model]] {
      #expect(try fixture.run(["schema", "diff"] + sides).code == 0)
      #expect(try fixture.run(["schema", "check", sides[0], "--against", sides[1]]).code == 0)
    }
    let piped = try fixture.run(["schema", "validate", "-"], input: Self.blog)
    #expect(piped.errors == "valid: 5 record types\n")
  }

  @Test("companions and move receipts that only some schemas have are warnings")
  func warnings() throws {
    let fixture = try CommandFixture()
    let model = try fixture.file(
      "A.xcdatamodel/contents",
      Self.xml(
        "<entity name=\"E\"><attribute name=\"a\" optional=\"YES\" attributeType=\"String\"/>"
          + "</entity>"))
    let schema = fixture.directory.path + "/a.ckdb"
    _ = try fixture.run(
      ["schema", "core-data", model, "--shape", "just-in-time", "-o", schema])
    for command in [
      ["schema", "core-data", model, "--check", "--against", schema],
      ["schema", "check", model, "--against", schema],
    ] {
      let outcome = try fixture.run(command)
      #expect(outcome.code == 0)
      #expect(
        outcome.output == """
          \(model):3:1: warning: record type 'CD_E' in \(schema) lacks CD_a_ckAsset: a record with \
          values above 700,000 bytes cannot be saved
            add: CD_a_ckAsset ASSET
          \(model):3:1: warning: record type 'CD_E' in \(schema) lacks CD_moveReceipt, \
          CD_moveReceipt_ckAsset: an object cannot be moved to a share
            add: CD_moveReceipt BYTES QUERYABLE SORTABLE, CD_moveReceipt_ckAsset ASSET

          """)
    }
    let junit = try fixture.run(["schema", "check", model, "--against", schema, "--junit"])
    #expect(junit.output.contains("failures=\"0\""), "\(junit.output)")
  }
}
