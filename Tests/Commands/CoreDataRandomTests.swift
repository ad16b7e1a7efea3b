internal import Basics
internal import Testing

/// Random models and objects: what is imported is exported, with each link on both of its sides,
/// and the schema of the model has a field for all of it (E1 to E11).
@Suite("Core Data: random models")
struct CoreDataRandomTests {
  @Test("model, schema, records, export, import: equal", arguments: 1...12 as ClosedRange<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var world = RandomObjects(seed: seed)
    let objects = world.makeObjects()
    let first = try CommandFixture.withContainer()
    let model = try first.file("R.xcdatamodel/contents", world.xml)
    let check = try first.run(["schema", "core-data", model, "--check"])
    #expect(check.code == 0, "\(check.output)\(world.xml)")
    #expect(try first.run(["schema", "import", model, "-q", "--yes"]).code == 0)
    let input = try first.file("objects.jsonl", objects.imported)
    let imported = try first.run(["import", input, "--core-data", "--model", model])
    #expect(imported.code == 0, "\(imported.errors)")
    let exported = try first.run(["export", "--core-data", "--model", model]).output
    let (lines, expected) = (exported.split(separator: "\n"), objects.exported)
    #expect(lines.count == expected.count)
    for (line, wanted) in zip(lines, expected) { #expect(line == wanted) }
    #expect(try first.run(["schema", "diff", model, "development"]).code == 0)

    let second = try CommandFixture.withContainer()
    let copy = try second.file("copy.jsonl", exported)
    _ = try second.run(["schema", "import", model, "-q", "--yes"])
    _ = try second.run(["schema", "deploy", "-q"])
    for environment in ["development", "production"] {
      let again = try second.run(
        ["import", copy, "--core-data", "--model", model, "-e", environment])
      #expect(again.code == 0, "\(again.errors)")
      #expect(
        try second.run(["export", "-e", environment]).output == first.run("export").output)
    }
  }
}

/// A random model with objects of its entities.
private struct RandomObjects {
  private var random: SplitMix64
  private var entities: [Entity] = []

  private struct Entity {
    var name: String
    var parent: Int?
    var isAbstract: Bool
    var attributes: [(name: String, type: String)] = []
    var relationships: [Relationship] = []
  }

  private struct Relationship {
    var name: String
    var inverse: String
    var destination: Int
    var isToMany, isInverseToMany: Bool
  }

  private static let types = [
    "Integer 16", "Integer 64", "Boolean", "Double", "Decimal", "String", "UUID", "URI", "Date",
    "Binary", "Transformable",
  ]

  init(seed: UInt64) {
    random = SplitMix64(state: seed)
    for index in 0..<Int.random(in: 2...5, using: &random) {
      let parent =
        index > 0 && Int.random(in: 0..<3, using: &random) == 0
        ? Int.random(in: 0..<index, using: &random) : nil
      var entity = Entity(name: "E\(index)", parent: parent, isAbstract: false)
      for number in 0..<Int.random(in: 0...6, using: &random) {
        let type = Self.types[Int.random(in: 0..<Self.types.count, using: &random)]
        entity.attributes.append(("e\(index)a\(number)", type))
      }
      entities.append(entity)
    }
    entities[0].isAbstract = entities.contains { $0.parent == 0 }
    for number in 0..<Int.random(in: 1...5, using: &random) { addRelationship(number) }
  }

  private mutating func addRelationship(_ number: Int) {
    let (one, other) = (pick(), pick())
    let (isMany, isOtherMany) = (Bool.random(using: &random), Bool.random(using: &random))
    let names = [
      "r\(number)", one == other && isMany == isOtherMany ? "r\(number)" : "R\(number)b",
    ]
    entities[one].relationships.append(
      Relationship(
        name: names[0], inverse: names[1], destination: other, isToMany: isMany,
        isInverseToMany: isOtherMany))
    if names[0] == names[1] { return }
    entities[other].relationships.append(
      Relationship(
        name: names[1], inverse: names[0], destination: one, isToMany: isOtherMany,
        isInverseToMany: isMany))
  }

  private mutating func pick() -> Int { Int.random(in: 0..<entities.count, using: &random) }

  /// The model's file.
  var xml: String {
    let texts = entities.map { entity in
      let parent = entity.parent.map { " parentEntity=\"E\($0)\"" } ?? ""
      let attributes = entity.attributes.map {
        "<attribute name=\"\($0.name)\" optional=\"YES\" attributeType=\"\($0.type)\"/>"
      }
      let relationships = entity.relationships.map {
        "<relationship name=\"\($0.name)\" optional=\"YES\" \($0.isToMany ? "toMany=\"YES\" " : "")"
          + "destinationEntity=\"E\($0.destination)\" inverseName=\"\($0.inverse)\"/>"
      }
      return
        "<entity name=\"\(entity.name)\"\(parent) isAbstract=\"\(entity.isAbstract ? "YES" : "NO")\">"
        + (attributes + relationships).joined(separator: "\n") + "</entity>"
    }
    return "<model>\n\(texts.joined(separator: "\n"))\n</model>\n"
  }

  /// The relationships that lead to one object on both sides, each once.
  private var oneToOne: [(entity: Int, relationship: Relationship)] {
    entities.indices.flatMap { entity in
      entities[entity].relationships.filter {
        !$0.isToMany && !$0.isInverseToMany && $0.name.hasPrefix("r")
      }
      .map { (entity, $0) }
    }
  }

  private func lineage(_ entity: Int) -> [Int] {
    [entity] + (entities[entity].parent.map { lineage($0) } ?? [])
  }

  /// Random objects: as they are imported, each link on one side, and as the lines that an export
  /// writes.
  mutating func makeObjects() -> (imported: String, exported: [String]) {
    let concrete = entities.indices.filter { !entities[$0].isAbstract }
    let kinds = (0..<30).map { _ in concrete[Int.random(in: 0..<concrete.count, using: &random)] }
    let names = kinds.indices.map { "OBJECT-\($0 < 10 ? "0" : "")\($0)" }
    var given = kinds.map { _ in [String: String]() }
    var wanted = given
    var links: [[String: Set<String>]] = kinds.map { _ in [:] }
    var givenLinks = links
    for (place, kind) in kinds.enumerated() {
      for entity in lineage(kind) {
        for attribute in entities[entity].attributes where Int.random(in: 0..<4, using: &random) > 0
        {
          let (text, shown) = value(of: attribute.type)
          (given[place][attribute.name], wanted[place][attribute.name]) = (text, shown)
        }
        for relationship in entities[entity].relationships {
          let targets = kinds.indices.filter {
            lineage(kinds[$0]).contains(relationship.destination)
          }
          // Only one side of the others has a field, or both must agree.
          guard !targets.isEmpty, relationship.isInverseToMany else { continue }
          for _ in 0..<(relationship.isToMany ? Int.random(in: 0...3, using: &random) : 1) {
            let target = targets[Int.random(in: 0..<targets.count, using: &random)]
            guard relationship.isToMany else {
              given[place][relationship.name] = "\"\(names[target])\""
              wanted[place][relationship.name] = given[place][relationship.name]
              continue
            }
            givenLinks[place][relationship.name, default: []].insert(names[target])
            links[place][relationship.name, default: []].insert(names[target])
            links[target][relationship.inverse, default: []].insert(names[place])
          }
        }
      }
    }
    for (one, relationship) in oneToOne {
      let others = kinds.indices.filter { lineage(kinds[$0]).contains(relationship.destination) }
        .shuffled(using: &random)
      let ones = kinds.indices.filter { lineage(kinds[$0]).contains(one) }.shuffled(using: &random)
      for (place, other) in zip(ones.prefix(3), others)
      where given[place][relationship.name] == nil && given[other][relationship.inverse] == nil {
        given[place][relationship.name] = "\"\(names[other])\""
        given[other][relationship.inverse] = "\"\(names[place])\""
        wanted[place][relationship.name] = given[place][relationship.name]
        wanted[other][relationship.inverse] = given[other][relationship.inverse]
      }
    }
    for place in kinds.indices {
      for (name, targets) in givenLinks[place] { given[place][name] = Self.list(targets) }
      for (name, targets) in links[place] { wanted[place][name] = Self.list(targets) }
    }
    func line(_ place: Int, _ fields: [String: String], zone: String) -> String {
      let texts = fields.sorted { utf8Precedes($0.key, $1.key) }.map { "\"\($0.key)\":\($0.value)" }
      return "{\"recordName\":\"\(names[place])\",\"recordType\":\"E\(kinds[place])\",\(zone)"
        + "\"fields\":{\(texts.joined(separator: ","))}}"
    }
    let zone = "\"zone\":\"com.apple.coredata.cloudkit.zone\","
    return (
      kinds.indices.map { line($0, given[$0], zone: "") + "\n" }.joined(),
      kinds.indices.map { line($0, wanted[$0], zone: zone) }
    )
  }

  private static func list(_ names: Set<String>) -> String {
    "[\(names.sorted(by: utf8Precedes).map { "\"\($0)\"" }.joined(separator: ","))]"
  }

  /// A value as a user writes it, and as an export does.
  private mutating func value(of type: String) -> (String, String) {
    func both(_ text: String) -> (String, String) { (text, text) }
    switch type {
    case "Integer 16": return both("\(Int16.random(in: .min ... .max, using: &random))")
    case "Integer 64": return both("\(Int64.random(in: .min ... .max, using: &random))")
    case "Boolean":
      let isTrue = Bool.random(using: &random)
      return ("\(isTrue)", isTrue ? "1" : "0")
    case "Double", "Decimal": return both("\(Double.random(in: -1e6...1e6, using: &random))")
    case "UUID":
      let text = Randomness.seeded(random.next()).uuid(purpose: [])
      return ("\"\(text.lowercased())\"", "\"\(text)\"")
    case "Date":
      let seconds = Int.random(in: 10...59, using: &random)
      return (
        "\"2026-01-02T03:04:\(seconds)Z\"",
        "{\"value\":\"2026-01-02T03:04:\(seconds).000Z\",\"type\":\"TIMESTAMP\"}"
      )
    case "Binary", "Transformable":
      let text = Base64.encode(SplitMix64.bytes(Int.random(in: 0...40, using: &random), state: 3))
      return ("\"\(text)\"", "{\"value\":\"\(text)\",\"type\":\"BYTES\"}")
    default:
      let texts = ["", "é", "e\u{301}", "a:b", "line\\u000a", "https://example.org/?a=1&b=2", "😀"]
      return both("\"\(texts[Int.random(in: 0..<texts.count, using: &random)])\"")
    }
  }
}
