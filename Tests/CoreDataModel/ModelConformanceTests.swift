import Basics
import CloudModel
import Testing

@testable import CoreDataModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Models of public repositories, if they are available (`make conformance`): all `contents` files
/// below `CKDB_CONFORMANCE/models`.
@Suite("Models of others")
struct ModelConformanceTests {
  private static let folder = getenv("CKDB_CONFORMANCE").map { String(cString: $0) + "/models" }

  @Test(
    "all real models are read without an error",
    .enabled(if: folder.map { FileSystem.isDirectory($0) } ?? false, "make conformance"))
  func realModels() throws {
    let folder = try #require(Self.folder)
    let paths = try Self.models(below: folder)
    #expect(!paths.isEmpty)
    var (entities, properties) = (0, 0)
    for path in paths {
      let model = try ModelParser.parse(try FileSystem.contents(of: path))
      entities += model.entities.count
      for entity in model.entities {
        properties += entity.attributes.count + entity.relationships.count
        for relationship in entity.relationships {
          let destination = try #require(relationship.destination, "\(path)")
          #expect(model[destination] != nil, "\(path): \(entity.name).\(relationship.name)")
        }
      }
    }
    print("\(paths.count) models, \(entities) entities, \(properties) properties")
  }

  /// The files `contents` of models below a folder.
  private static func models(below folder: String) throws -> [String] {
    try FileSystem.list(folder).flatMap { name -> [String] in
      let path = "\(folder)/\(name)"
      if name == "contents" { return folder.hasSuffix(".xcdatamodel") ? [path] : [] }
      return FileSystem.isFolder(path) ? try models(below: path) : []
    }
  }
}
