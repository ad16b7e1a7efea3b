import Basics
import CloudModel
import TestSupport
import Testing

@testable import CoreDataModel

/// Models on disk: bundles with versions.
@Suite("Versions of models")
struct ModelFileTests {
  private static let empty = "<model><entity name=\"E\"/></model>"

  /// Makes a bundle with versions.
  private static func bundle(
    _ versions: [String], current: String?, in folder: TemporaryDirectory
  ) throws -> String {
    let bundle = folder.path + "/My App.xcdatamodeld"
    for version in versions {
      try FileSystem.makeDirectories("\(bundle)/\(version).xcdatamodel")
      try FileSystem.replace(
        "\(bundle)/\(version).xcdatamodel/contents", with: Array(empty.utf8))
    }
    if let current {
      try FileSystem.replace(bundle + "/.xccurrentversion", with: Array(current.utf8))
    }
    return bundle
  }

  private static func current(_ name: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
    "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \t<key>_XCCurrentVersionName</key>
    \t<string>\(name).xcdatamodel</string>
    </dict>
    </plist>
    """
  }

  @Test("the current version is the one that .xccurrentversion names")
  func currentVersion() throws {
    let folder = try TemporaryDirectory()
    let bundle = try Self.bundle(
      ["My App", "My App 2", "My App 3"], current: Self.current("My App 2"), in: folder)
    for path in [bundle, bundle + "/"] {
      let file = try ModelFile.version(nil, of: path)
      #expect(file.name == "My App 2")
      #expect(file.path == bundle + "/My App 2.xcdatamodel/contents")
      #expect(try file.model().entities.count == 1)
    }
    #expect(try ModelFile.version("My App 3", of: bundle).name == "My App 3")
    #expect(try ModelFile.version("My App 3.xcdatamodel", of: bundle).name == "My App 3")
    #expect(try ModelFile.versions(of: bundle).map(\.name) == ["My App", "My App 2", "My App 3"])
  }

  @Test("without .xccurrentversion the only version counts, and several are ambiguous")
  func onlyVersion() throws {
    let folder = try TemporaryDirectory()
    let one = try Self.bundle(["A"], current: nil, in: folder)
    #expect(try ModelFile.version(nil, of: one).name == "A")
    let two = try Self.bundle(["B"], current: nil, in: folder)
    let error = try #require(throws: ModelError.self) { try ModelFile.version(nil, of: two) }
    #expect(error.message == "the model has 2 versions, and none is the current one")
    #expect(error.remedy == .advice("choose one of A, B"))
  }

  @Test("a folder and its file are models with one version")
  func plainFolder() throws {
    let folder = try TemporaryDirectory()
    let path = try Self.bundle(["A"], current: nil, in: folder) + "/A.xcdatamodel"
    for path in [path, path + "/contents"] {
      #expect(ModelFile.isModel(path))
      #expect(try ModelFile.version(nil, of: path).name == "A")
      #expect(try ModelFile.version("A", of: path).path.hasSuffix("/contents"))
    }
    #expect(!ModelFile.isModel("contents") && !ModelFile.isModel("schema.ckdb"))
  }

  @Test("an unknown version, a damaged .xccurrentversion and other formats are refused")
  func refusals() throws {
    let folder = try TemporaryDirectory()
    let bundle = try Self.bundle(["First", "Second"], current: "<plist><dict>", in: folder)
    func message(_ version: String?, _ path: String) throws -> String {
      try #require(throws: ModelError.self) {
        _ = try ModelFile.version(version, of: path).model()
      }.message
    }
    #expect(try message("Secnd", bundle) == "no version 'Secnd' in the model")
    #expect(try message(nil, bundle) == ".xccurrentversion:1:14: <dict> is not closed")
    #expect(try message(nil, folder.path + "/A.momd") == "a compiled model cannot be read")
    let old = folder.path + "/Old.xcdatamodel"
    try FileSystem.makeDirectories(old)
    try FileSystem.replace(old + "/elements", with: [0x62])
    #expect(try message(nil, old) == "a model of Xcode 3, which is not XML")
    let none = folder.path + "/None.xcdatamodeld"
    try FileSystem.makeDirectories(none)
    #expect(try message(nil, none) == "no version (*.xcdatamodel) in the folder")
    #expect(throws: SystemError.self) {
      try ModelFile.version(nil, of: folder.path + "/no").model()
    }
  }
}
