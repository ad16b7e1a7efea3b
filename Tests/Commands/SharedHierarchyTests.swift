internal import TestSupport
internal import Testing

/// A share covers all descendants of its root (R10.1.4), whatever the shape of the hierarchy: the
/// store finds children in two ways, depending on how many records of the zone are referred to.
@Suite struct SharedHierarchyTests {
  @Test(
    "R10.1.4: the root and its descendants are shared, in zones with few parents and with many",
    arguments: [(parents: 0, children: 20), (3, 400), (1200, 1)])
  func hierarchy(parents: Int, children: Int) throws {
    let fixture = try CommandFixture(entering: true)
    var lines: [String] = []
    var expected: Set<String> = ["root"]
    func add(_ name: String, below parent: String?) {
      let parent = parent.map { "\"parent\":\"\($0)\"," } ?? ""
      lines.append(
        "{\"recordName\":\"\(name)\",\"recordType\":\"Item\",\(parent)\"fields\":{\"n\":1}}")
    }
    add("root", below: nil)
    for place in 0..<max(1, parents) {
      // Each parent is a child of the one before, up to ten deep; another tree has the same shape.
      for tree in ["root", "other"] {
        let above = place % 10 == 0 ? tree : "\(tree)-\(place - 1)"
        let name = parents == 0 ? tree : "\(tree)-\(place)"
        if tree == "other", place == 0 { add("other", below: nil) }
        if parents > 0 { add(name, below: above) }
        for child in 0..<children { add("\(name)-c\(child)", below: name) }
        guard tree == "root" else { continue }
        expected.insert(name)
        expected.formUnion((0..<children).map { "\(name)-c\($0)" })
      }
    }
    _ = try fixture.file("items.jsonl", lines.joined(separator: "\n") + "\n")
    func run(_ line: String) throws -> String {
      let outcome = try Transcript.run(.init(line: 0, command: "ckdb \(line)"), in: fixture)
      #expect(outcome.code == 0, "\(line): \(outcome.errors)")
      return outcome.output
    }
    _ = try run("container create iCloud.org.example.app")
    _ = try run("zone create Lists")
    _ = try run("import items.jsonl -z Lists")
    let url = try run("share create root --public read -z Lists").split(separator: "\n")[0]
    _ = try run("share accept \(url) -u bob")
    let names = try run("record list Item -f names -d shared -z Lists -u bob")
    #expect(Set(names.split(separator: "\n").map(String.init)) == expected)
    _ = try run("doctor --deep")
  }
}
