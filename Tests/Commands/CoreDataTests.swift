internal import Basics
internal import SQLite
internal import TestSupport
internal import Testing

/// Core Data's mirror as users see it: from a model to a schema, and records as objects.
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

  @Test("objects are saved as the records that the mirror would export (E1 to E8)")
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
    "E9: the largest values move to their companions until 700,000 bytes are left, and come back")
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
        "P: the value does not fit 'rating' (Integer 16)"
      ),
      (
        "\"recordType\":\"Post\",\"fields\":{\"isDraft\":‸2}",
        "P: the value does not fit 'isDraft' (Boolean)"
      ),
      (
        "\"recordType\":\"Post\",\"fields\":{\"id\":‸\"x\"}",
        "P: the value does not fit 'id' (UUID)"
      ),
      (
        "\"recordType\":\"Post\",\"fields\":{\"author\":‸1}",
        "P: 'author' is a relationship: expected a record name"
      ),
      (
        "\"recordType\":\"Author\",\"fields\":{\"posts\":‸[\"P1\"]}",
        "P: 'posts' is the to-many side of a one-to-many relationship, which has no field"
      ),
      (
        "\"recordType\":\"Post\",\"fields\":{\"tags\":‸[\"a:b\"]}",
        "P: a link cannot refer to a record whose name contains a colon"
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
      #expect(outcome.errors.contains("no errors, 2 warnings"), "\(outcome.errors)")
      #expect(
        outcome.output == """
          \(model):3:1: warning: record type 'CD_E' in \(schema) lacks CD_a_ckAsset: a record of \
          more than 700000 bytes cannot be saved
            add: CD_a_ckAsset ASSET
          \(model):3:1: warning: record type 'CD_E' in \(schema) lacks CD_moveReceipt, \
          CD_moveReceipt_ckAsset: an object cannot be moved to a share
            add: CD_moveReceipt BYTES QUERYABLE SORTABLE, CD_moveReceipt_ckAsset ASSET

          """)
    }
    let junit = try fixture.run(["schema", "check", model, "--against", schema, "--junit"])
    #expect(junit.output.contains("failures=\"0\""), "\(junit.output)")
  }

  // MARK: Edges of imports

  @Test("E9: a changed value moves to its companion and back, and the other field is emptied")
  func changedSizes() throws {
    let (fixture, model) = try Self.fixture()
    let large = String(repeating: "x", count: 800_000)
    for text in ["small", large, "small again", large] {
      let object =
        "{\"recordName\":\"P\",\"recordType\":\"Post\",\"fields\":{\"title\":\"\(text)\"}}\n"
      let outcome = try Self.importing(object, fixture, model, ["--policy", "changed"])
      #expect(outcome.code == 0, "\(outcome.errors)")
      let record = try fixture.run("export -z com.apple.coredata.cloudkit.zone").output
      #expect(record.contains("CD_title_ckAsset") == (text == large))
      #expect(record.contains("\"CD_title\"") == (text != large))
      #expect(try fixture.run("export --core-data").output.contains("\"title\":\"\(text)\""))
    }
  }

  @Test("E9: values that come one after the other leave the record as if they came together")
  func growingRecord() throws {
    let (fixture, model) = try Self.fixture()
    let text = String(repeating: "x", count: 400_000)
    let image = Base64.encode([UInt8](repeating: 7, count: 400_000))
    for (name, value) in [("title", text), ("secret", text), ("image", image)] {
      let object =
        "{\"recordName\":\"P\",\"recordType\":\"Post\",\"fields\":{\"\(name)\":\"\(value)\"}}\n"
      let outcome = try Self.importing(object, fixture, model, ["--policy", "changed"])
      #expect(outcome.code == 0, "\(outcome.errors)")
    }
    let record = try fixture.run("export -z com.apple.coredata.cloudkit.zone").output
    #expect(record.utf8.count < 500_000)
    let object = try fixture.run("export --core-data").output
    #expect(object.contains("\"secret\":\"\(text)\"") && object.contains(image))
    #expect(object.contains("\"title\":\"\(text)\""))
  }

  @Test("E10: an import into a store without the schema makes encrypted fields")
  func encryptedWithoutSchema() throws {
    let fixture = try CommandFixture.withContainer()
    let model = try fixture.file("A.xcdatamodel/contents", Self.blog)
    let outcome = try Self.importing(Self.objects, fixture, model)
    #expect(outcome.code == 0, "\(outcome.errors)")
    let fields = try fixture.run("schema fields CD_Post").output
    #expect(fields.contains("CD_secret\tENCRYPTED STRING"), "\(fields)")
    let changed = try fixture.run(["schema", "diff", "development", model]).output.split(
      separator: "\n")
    #expect(!changed.contains { $0.hasPrefix("~ field") }, "\(changed)")
  }

  @Test("E8: a link is in the zone of its objects, also if two zones have equal names")
  func zones() throws {
    let (fixture, model) = try Self.fixture()
    let objects = ["One", "Two"].map { zone in
      """
      {"recordName":"P","recordType":"Post","zone":"\(zone)","fields":{"tags":["T"]}}
      {"recordName":"T","recordType":"Tag","zone":"\(zone)","fields":{"posts":["P"]}}

      """
    }
    #expect(try Self.importing(objects.joined(), fixture, model).code == 0)
    for zone in ["One", "Two"] {
      let tags = try fixture.run(["export", "Tag", "--core-data", "-z", zone]).output
      #expect(tags.contains("\"posts\":[\"P\"]"), "\(tags)")
    }
  }

  @Test("links of an object that is not imported are not saved")
  func faultyObjects() throws {
    let (fixture, model) = try Self.fixture()
    let objects = """
      {"recordName":"P","recordType":"Post","fields":{"tags":["T"],"rating":99999}}
      {"recordName":"T","recordType":"Tag","fields":{"name":"t"}}

      """
    #expect(try Self.importing(objects, fixture, model, ["--no-atomic"]).code == 3)
    #expect(try fixture.run("export CDMR -z com.apple.coredata.cloudkit.zone").output == "")
    let dropping = try Self.importing(objects, fixture, model, ["--mismatch", "null"])
    #expect(dropping.errors.contains("values left out: 1"), "\(dropping.errors)")
    #expect(try fixture.run("export Tag --core-data").output.contains("\"posts\":[\"P\"]"))
  }

  @Test("tables of objects come back equal, with the entity of each")
  func tables() throws {
    let (first, model) = try Self.fixture()
    _ = try Self.importing(Self.objects, first, model)
    let wanted = try first.run("export --core-data").output
    for format in ["csv", "tsv"] {
      let table = try first.run(["export", "--core-data", "-f", format]).output
      let (second, other) = try Self.fixture()
      let path = try second.file("objects.\(format)", table)
      let imported = try second.run(["import", path, "--core-data", "--model", other])
      #expect(imported.code == 0, "\(imported.errors)\(table)")
      #expect(try second.run("export --core-data").output == wanted)
    }
    let posts = try first.run("export Post --core-data -f csv").output
    #expect(posts.contains("P2,Draft,"), "\(posts)")
  }

  @Test("E8: links are ordered without regard to case, and malformed ones are skipped")
  func linkOrder() throws {
    let (fixture, model) = try Self.fixture(
      Self.xml(
        """
        <entity name="a"><relationship name="z" optional="YES" toMany="YES" \
        destinationEntity="B" inverseName="y"/></entity>
        <entity name="B"><relationship name="y" optional="YES" toMany="YES" \
        destinationEntity="a" inverseName="z"/><relationship name="One" optional="YES" \
        toMany="YES" destinationEntity="B" inverseName="other"/><relationship name="other" \
        optional="YES" toMany="YES" destinationEntity="B" inverseName="One"/></entity>
        """))
    let objects = """
      {"recordName":"A1","recordType":"a","fields":{}}
      {"recordName":"B1","recordType":"B","fields":{"y":["A1"],"other":["B2"]}}
      {"recordName":"B2","recordType":"B","fields":{}}

      """
    #expect(try Self.importing(objects, fixture, model).code == 0)
    let links = try fixture.run("export CDMR").output
    for pair in [
      "\"CD_entityNames\":\"a:B\",\"CD_recordNames\":\"A1:B1\",\"CD_relationships\":\"z:y\"",
      "\"CD_recordNames\":\"B2:B1\",\"CD_relationships\":\"One:other\"",
    ] {
      #expect(links.contains(pair), "\(links)")
    }
    let whole = try fixture.run("export --core-data").output
    for fields in [
      "CD_entityNames=a:B CD_recordNames=A1: CD_relationships=z:y",
      "CD_entityNames=a:B CD_recordNames=A1:B1:B2 CD_relationships=z:y",
      "CD_entityNames=a:B CD_recordNames=A1:B2",
    ] {
      let save = "record save CDMR -z com.apple.coredata.cloudkit.zone " + fields
      #expect(try fixture.run(save).code == 0)
    }
    for options in [[], ["--model", model]] {
      #expect(try fixture.run(["export", "--core-data"] + options).output == whole)
    }
  }

  @Test("E11: the public database has the mirror in its default zone")
  func publicZone() throws {
    let (fixture, model) = try Self.fixture()
    let object = "{\"recordName\":\"T\",\"recordType\":\"Tag\",\"fields\":{\"name\":\"t\"}}\n"
    #expect(try Self.importing(object, fixture, model, ["-d", "public"]).code == 0)
    #expect(try fixture.run("export -d public").output.contains("\"zone\":\"_defaultZone\""))
    let listed = try fixture.run("record list Tag --core-data -d public -f names")
    #expect(listed.output == "T\n")
  }

  @Test("a property with the name of a column cannot be exported as a table")
  func clashingColumns() throws {
    let (fixture, model) = try Self.fixture(
      Self.xml(
        """
        <entity name="Folder"><attribute name="zone" optional="YES" attributeType="String"/>
        <relationship name="parent" optional="YES" destinationEntity="Folder" inverseName="subs"/>
        <relationship name="subs" optional="YES" toMany="YES" destinationEntity="Folder" \
        inverseName="parent"/></entity>
        """))
    let objects = """
      {"recordName":"A","recordType":"Folder","fields":{}}
      {"recordName":"B","recordType":"Folder","fields":{"parent":"A","zone":"z"}}

      """
    #expect(try Self.importing(objects, fixture, model).code == 0)
    let table = try fixture.run("export --core-data -f csv")
    #expect(table.errors.contains("column 'zone' would clash"), "\(table.errors)")
    let parents = try fixture.file("p.csv", "recordName,recordType,parent\nC,Folder,A\n")
    _ = try fixture.run(["import", parents, "--core-data", "--model", model])
    #expect(
      try fixture.run("export Folder --core-data").output.contains(
        "\"fields\":{\"parent\":\"A\"}}"))
    let exported = try fixture.run("export --core-data").output
    let (second, other) = try Self.fixture(
      String(
        decoding: try FileSystem.contents(of: model + "/Blog.xcdatamodel/contents"), as: UTF8.self))
    _ = try Self.importing(exported, second, other)
    #expect(try second.run("export --core-data").output == exported)
    #expect(exported.contains("\"parent\":\"A\",\"zone\":\"z\""), "\(exported)")
  }

  @Test("a relationship of a sub-entity is a property of its root without a model")
  func linksOfSubEntities() throws {
    let (fixture, model) = try Self.fixture(
      Self.xml(
        """
        <entity name="Item"><attribute name="name" optional="YES" attributeType="String"/></entity>
        <entity name="Book" parentEntity="Item"><relationship name="topics" optional="YES" \
        toMany="YES" destinationEntity="Topic" inverseName="books"/></entity>
        <entity name="Topic"><relationship name="books" optional="YES" toMany="YES" \
        destinationEntity="Book" inverseName="topics"/></entity>
        """))
    let objects = """
      {"recordName":"B","recordType":"Book","fields":{"name":"b","topics":["T"]}}
      {"recordName":"T","recordType":"Topic","fields":{}}

      """
    #expect(try Self.importing(objects, fixture, model).code == 0)
    let shown = try fixture.run("schema show --core-data").output
    #expect(shown.contains("Item\ttopics\tto-many\t\tTopic"), "\(shown)")
    let table = try fixture.run("export --core-data -f csv").output
    #expect(table.contains("\"[\"\"T\"\"]\""), "\(table)")
    for name in ["CD_Topic", "Topic"] {
      let listed = try fixture.run(
        ["record", "list", name, "--core-data", "--model", model, "-f", "csv"])
      #expect(listed.output == "recordName,books\r\nT,\"[\"\"B\"\"]\"\r\n", "\(listed)")
    }
  }

  @Test(
    "defaults of required attributes have the type of the attribute",
    arguments: [
      ("Integer 16", "7", "\"CD_a\":7"), ("Boolean", "YES", "\"CD_a\":1"),
      ("Decimal", "1.5", "\"CD_a\":1.5"), ("String", "", "\"CD_a\":\"\""),
      (
        "UUID", "6f9619ff-8b86-d011-b42d-00cf4fc964ff",
        "\"CD_a\":\"6F9619FF-8B86-D011-B42D-00CF4FC964FF\""
      ), ("Integer 16", "99999", "the default of 'a' (Integer 16)"),
      ("UUID", "x", "the default of 'a' (UUID)"),
    ])
  func defaults(type: String, value: String, result: String) throws {
    let (fixture, model) = try Self.fixture(
      Self.xml(
        """
        <entity name="E"><attribute name="a" attributeType="\(type)" \
        defaultValueString="\(value)"/></entity>
        """))
    let outcome = try Self.importing(
      "{\"recordName\":\"x\",\"recordType\":\"E\",\"fields\":{}}\n", fixture, model)
    let text = try fixture.run("export").output + outcome.errors
    #expect(text.contains(result), "\(text)")
  }

  @Test("a changed object keeps what the text leaves out; a new one must have what it must have")
  func requiredValues() throws {
    let (fixture, model) = try Self.fixture(
      Self.xml(
        """
        <entity name="E"><attribute name="rank" attributeType="Integer 16" defaultValueString="1"/>
        <attribute name="name" optional="YES" attributeType="String"/></entity>
        <entity name="F"><attribute name="must" attributeType="String"/></entity>
        """))
    func object(_ fields: String) -> String {
      "{\"recordName\":\"x\",\"recordType\":\"E\",\"fields\":{\(fields)}}\n"
    }
    _ = try Self.importing(object("\"rank\":7"), fixture, model)
    _ = try Self.importing(object("\"name\":\"n\""), fixture, model, ["--policy", "changed"])
    #expect(try fixture.run("export --core-data").output.contains("\"name\":\"n\",\"rank\":7"))
    let missing = try Self.importing("{\"recordType\":\"F\",\"fields\":{}}\n", fixture, model)
    #expect(missing.errors.contains("'must' must have a value, and has no default"))
  }

  @Test(
    "E7: a target that exists must be of the destination, and name the object if it is one-to-one")
  func targets() throws {
    let (fixture, model) = try Self.fixture(
      Self.xml(
        """
        <entity name="Person"><relationship name="desk" optional="YES" destinationEntity="Desk" \
        inverseName="person"/><relationship name="tags" optional="YES" toMany="YES" \
        destinationEntity="Tag" inverseName="people"/></entity>
        <entity name="Desk"><relationship name="person" optional="YES" destinationEntity="Person" \
        inverseName="desk"/></entity>
        <entity name="Tag"><relationship name="people" optional="YES" toMany="YES" \
        destinationEntity="Person" inverseName="tags"/></entity>
        """))
    func text(_ person: String, _ desk: String) -> String {
      """
      {"recordName":"P","recordType":"Person","fields":{\(person)}}
      {"recordName":"D","recordType":"Desk","fields":{\(desk)}}

      """
    }
    for (person, desk, message) in [
      ("\"tags\":[\"D\"]", "", "P: 'tags': 'D' is of the entity 'Desk', expected 'Tag'"),
      ("\"desk\":\"D\"", "", "P: 'desk': the other side must have it, too: 'person' of 'D'"),
      ("\"desk\":\"D\"", "\"person\":\"Q\"", "P: 'desk': the other side must have it, too"),
    ] {
      let outcome = try Self.importing(text(person, desk), fixture, model)
      #expect(outcome.code == 65 && outcome.errors.contains(message), "\(outcome.errors)")
      #expect(try fixture.run("export").output.isEmpty)
    }
    let both = text("\"desk\":\"D\",\"tags\":[\"not there yet\"]", "\"person\":\"P\"")
    #expect(try Self.importing(both, fixture, model).code == 0)
  }

  @Test("F07: a damaged link is listed, and the objects are complete but for it")
  func damagedLink() throws {
    let (fixture, model) = try Self.fixture()
    _ = try Self.importing(Self.objects, fixture, model)
    let whole = try fixture.run("export --core-data").output
    let folder = ".ckdb/containers/iCloud.org.example.app/development"
    try Connection(
      path: "\(fixture.directory.path)/\(folder)/records.sqlite", mode: .readWrite
    ).execute(
      "UPDATE CDMR SET CD_recordNames = 'P1:T9' WHERE CD_recordNames = 'P1:T2'")
    for command in ["export --core-data", "record list --core-data -f jsonl"] {
      let outcome = try fixture.run(command)
      #expect(outcome.code == 78, "\(outcome.errors)")
      #expect(outcome.output.split(separator: "\n").count == 6)
      #expect(outcome.output.contains("\"tags\":[\"T1\"],\"title\":\"First\""))
      #expect(!outcome.output.contains("T9"))
    }
    #expect(whole.contains("\"tags\":[\"T1\",\"T2\"],\"title\":\"First\""))
  }

  // MARK: Checks

  @Test("--check prints rows in an explicit format")
  func rows() throws {
    let fixture = try CommandFixture()
    let model = try fixture.file(
      "A.xcdatamodel/contents",
      Self.xml("<entity name=\"E\"><attribute name=\"a\" attributeType=\"String\"/></entity>"))
    let schema = try fixture.file("empty.ckdb", "DEFINE SCHEMA\n")
    let outcome = try fixture.run(
      ["schema", "core-data", model, "--check", "--against", schema, "-f", "jsonl"])
    #expect(outcome.code == 1)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("{\"code\":\"required-attribute\",\"severity\":\"error\","))
    #expect(lines[0].contains("\"line\":3,\"column\":18,\"entity\":\"E\",\"property\":\"a\""))
    #expect(lines[0].contains("\"remedy\":\"make the attribute optional, or give it a default\""))
    #expect(lines[1].hasPrefix("{\"code\":\"missing-type\",\"severity\":\"error\","))
    #expect(lines[1].contains("\"recordType\":\"CD_E\""))
  }

  @Test("E12, R1.3.13: --public reports indexes and encryption that the public database lacks")
  func publicIndexes() throws {
    let fixture = try CommandFixture()
    let model = try fixture.file("A.xcdatamodel/contents", Self.xml("<entity name=\"E\"/>"))
    let schema = fixture.directory.path + "/a.ckdb"
    _ = try fixture.run(["schema", "core-data", model, "-o", schema])
    let check = ["schema", "core-data", model, "--check", "--public"]
    let outcome = try fixture.run(check + ["--against", schema])
    #expect(outcome.code == 1)
    #expect(outcome.output.contains("add: \"___recordID\" REFERENCE QUERYABLE"))
    #expect(outcome.output.contains("add: \"___modTime\" TIMESTAMP QUERYABLE"))
    _ = try fixture.run(["schema", "core-data", model, "--public", "-o", schema])
    #expect(try fixture.run(check + ["--against", schema]).code == 0)
    let encrypted = try fixture.file("B.xcdatamodel/contents", Self.blog)
    let refused = try fixture.run(["schema", "core-data", encrypted, "--check", "--public"])
    #expect(
      refused.output.contains("The public database has no encrypted fields: Post: secret"))
  }

  @Test(
    "E23, E25: --check compares the version with the others of the bundle, and warns of damaged ones"
  )
  func versions() throws {
    let fixture = try CommandFixture()
    func write(_ name: String, _ text: String) throws {
      _ = try fixture.file("M.xcdatamodeld/\(name).xcdatamodel/contents", text)
    }
    try write("M", Self.xml("<entity name=\"Old\"/>"))
    try write("M 2", Self.xml("<entity name=\"New\" elementID=\"Old\"/>"))
    let bundle = fixture.directory.path + "/M.xcdatamodeld"
    let check = ["schema", "core-data", bundle, "--check", "--version"]
    let renamed = try fixture.run(check + ["M 2"])
    #expect(renamed.code == 1)
    #expect(
      renamed.output.contains(
        "CloudKit integration forbids renaming 'Old' to 'New'. Older devices can't process the new")
    )
    try write(
      "M 2", Self.xml("<entity name=\"Base\"/><entity name=\"Old\" parentEntity=\"Base\"/>"))
    let moved = try fixture.run(check + ["M 2"]).output
    #expect(moved.contains("record type between versions: Old - CD_Base, and was CD_Old"))
    func attribute(_ type: String) -> String {
      Self.xml(
        "<entity name=\"E\"><attribute name=\"a\" optional=\"YES\" attributeType=\"\(type)\"/>"
          + "</entity>")
    }
    try write("M", attribute("String"))
    try write("M 2", attribute("Integer 64"))
    let retyped = try fixture.run(check + ["M 2"]).output
    #expect(
      retyped.contains("its type between versions: E: a - CD_a is INT64, and was STRING"))
    try write("M 2", attribute("UUID"))
    #expect(try fixture.run(check + ["M"]).code == 0)
    try write("M 3", "<model")
    let damaged = try fixture.run(check + ["M"])
    #expect(damaged.code == 0)
    #expect(damaged.errors.contains("M 3.xcdatamodel/contents is not compared"))
  }

  @Test("E19: --configuration mirrors its entities only")
  func configuration() throws {
    let fixture = try CommandFixture()
    let model = try fixture.file(
      "A.xcdatamodel/contents",
      Self.xml(
        """
        <entity name="A"/><entity name="B"/>
        <configuration name="Cloud"><memberEntity name="B"/></configuration>
        """))
    let schema = try fixture.run(["schema", "core-data", model, "--configuration", "Cloud"])
    #expect(schema.output.contains("CD_B") && !schema.output.contains("CD_A"))
    let unknown = try fixture.run(["schema", "core-data", model, "--configuration", "Clowd"])
    #expect(unknown.code == 65)
    #expect(unknown.errors.contains("Unable to find a configuration named 'Clowd'"))
    #expect(unknown.errors.contains("did you mean Cloud?"))
  }

  @Test("a model whose schema would be incomplete is no schema file")
  func incompleteSchema() throws {
    let fixture = try CommandFixture()
    let model = try fixture.file(
      "A.xcdatamodel/contents",
      Self.xml(
        "<entity name=\"E\"><attribute name=\"größe\" optional=\"YES\" attributeType=\"Double\"/>"
          + "</entity>"))
    let outcome = try fixture.run(["schema", "validate", model])
    #expect(outcome.code == 65)
    #expect(outcome.errors.contains("contents:3:18: A name in CloudKit must begin with a letter"))
    #expect(try fixture.run(["schema", "core-data", model]).code == 0)
  }
}
