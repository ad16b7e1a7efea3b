internal import Basics
internal import CloudModel

// The documents of a fixture (cli.md §7): each path with the source of its bytes, in an asset's
// notation, or with `members` the sources of a package's files.
extension FixtureDocuments: WrittenFixtureEntry {
  static let key = "documents"
  var name: String? { place.text }

  /// The documents in a fixture's notation; `source` returns how bytes are written. Throws what it
  /// throws.
  func json(_ source: FixtureWriter.AssetText) throws -> JSONValue {
    func json(_ member: FixtureDocument.Member) throws -> JSONValue {
      guard let asset = member.asset else { return .null }
      let (key, text) = try source(asset)
      return .object([.init(key, .string(text))])
    }
    return .object(
      try documents.map { document in
        guard document.isPackage else {
          return .init(document.path.text, try document.members.first.map(json) ?? .null)
        }
        let members = try document.members.map { JSONMember($0.path, try json($0)) }
        return .init(document.path.text, .object([.init("members", .object(members))]))
      })
  }

  /// Makes the file names relative to a folder.
  mutating func resolveFiles(in folder: String) {
    for place in documents.indices {
      for number in documents[place].members.indices {
        guard case .file(let path)? = documents[place].members[number].source else { continue }
        documents[place].members[number].source = .file(path: FileSystem.path(path, in: folder))
      }
    }
  }

  /// Parses documents. Throws `invalidArguments`.
  init(_ name: String, _ json: JSONValue) throws(CloudError) {
    self.init(try FixturePlace(name), [])
    var keys: Set<String> = []
    for member in try Self.members(json, "an entry of 'documents'") {
      let path = try DocumentPath(member.name)
      guard keys.insert(path.key).inserted else {
        throw CloudError(.invalidArguments, "the document '\(path.text.visible)' appears twice")
      }
      documents.append(try Self.document(path, member.value))
    }
    documents.sort { utf8Precedes($0.path.text, $1.path.text) }
  }

  private static func document(
    _ path: DocumentPath, _ json: JSONValue
  ) throws(CloudError) -> FixtureDocument {
    guard let package = json["members"] else {
      return FixtureDocument(
        path, isPackage: false, [.init("", source: try source(json, of: path))])
    }
    var members: [FixtureDocument.Member] = []
    for member in try self.members(package, "'members'") {
      let name = try DocumentPath(member.name)
      members.append(.init(name.text, source: try source(member.value, of: name)))
    }
    return FixtureDocument(
      path, isPackage: true, members.sorted { utf8Precedes($0.path, $1.path) })
  }

  private static func source(
    _ json: JSONValue, of path: DocumentPath
  ) throws(CloudError) -> AssetSource {
    let members = try members(json, "the document '\(path.text.visible)'")
    switch (members.count, members.first?.name, members.first?.value) {
    case (1, "file", .string(let file)): return .file(path: file)
    case (1, "text", .string(let text)): return .bytes(Array(text.utf8))
    case (1, "base64", .string(let text)):
      if let bytes = Base64.decode(text) { return .bytes(bytes) }
    case (1, "random", .int(let size)) where (0...Limits.assetSize).contains(size):
      // The same for each load: the path identifies the document.
      let seed = Randomness.seeded(0).number(purpose: ["document", path.text]) ?? 0
      return .random(seed: seed, size: Int(size))
    default: break
    }
    throw CloudError(
      .invalidArguments,
      "the document '\(path.text.visible)' needs one of file, text, base64, random or members")
  }

  private static func members(
    _ json: JSONValue, _ what: String
  ) throws(CloudError) -> [JSONMember] {
    if case .object(let members) = json { return members }
    throw CloudError(.invalidArguments, "\(what) must be an object, not \(json.kind)")
  }
}
