internal import Basics
internal import CloudModel

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A version of a model on disk.
public struct ModelFile: Sendable {
  /// The name of the version: that of its folder, without the suffix.
  public let name: String
  /// The path of its XML.
  public let path: String

  private static let (bundleSuffix, folderSuffix) = (".xcdatamodeld", ".xcdatamodel")
  /// The largest known file has a megabyte.
  private static let mostMegabytes = 16

  /// Whether a path names a model, by its suffix or as the file in such a folder.
  public static func isModel(_ path: String) -> Bool {
    let path = withoutSlash(path)
    return path.hasSuffix(bundleSuffix) || path.hasSuffix(folderSuffix)
      || FileSystem.parent(of: path).hasSuffix(folderSuffix)
        && FileSystem.name(of: path) == "contents"
  }

  /// Finds the versions of a model: those of an `.xcdatamodeld`, sorted by name, or the only one of
  /// an `.xcdatamodel` or of its file. Throws `ModelError`, and `SystemError` for a path that
  /// cannot be read.
  public static func versions(of path: String) throws -> [ModelFile] {
    let path = withoutSlash(path)
    for suffix in [".momd", ".mom"] where path.hasSuffix(suffix) {
      throw ModelError(
        "a compiled model cannot be read",
        remedy: .advice("give the .xcdatamodeld that it was compiled from"))
    }
    guard try FileSystem.hasFolder(at: path) else {
      let folder = FileSystem.name(of: FileSystem.parent(of: path))
      let name = folder.hasSuffix(folderSuffix) ? folder : FileSystem.name(of: path)
      return [ModelFile(name: named(name), path: path)]
    }
    guard path.hasSuffix(bundleSuffix) else {
      return [ModelFile(name: named(FileSystem.name(of: path)), path: path + "/contents")]
    }
    let names = try FileSystem.list(path).filter { $0.hasSuffix(folderSuffix) }
    return names.map { ModelFile(name: named($0), path: "\(path)/\($0)/contents") }
      .sorted { utf8Precedes($0.name, $1.name) }
  }

  /// Finds a version of a model: the named one, or the current one. Throws `ModelError`, and
  /// `SystemError` for a path that cannot be read.
  public static func version(_ version: String?, of path: String) throws -> ModelFile {
    let versions = try versions(of: path)
    guard !versions.isEmpty else { throw ModelError("no version (*.xcdatamodel) in the folder") }
    let isBundle = withoutSlash(path).hasSuffix(bundleSuffix)
    let current = try isBundle && version == nil ? currentVersion(of: path) : nil
    guard let name = version ?? current else {
      if versions.count == 1 { return versions[0] }
      throw ModelError(
        "the model has \(versions.count) versions, and none is the current one",
        remedy: .advice("choose one of \(versions.map(\.name).joined(separator: ", "))"))
    }
    if let file = versions.first(where: { utf8Equal($0.name, named(name)) }) { return file }
    throw ModelError(
      "no version '\(name.visible)' in the model",
      remedy: .nearest(to: named(name), among: versions.map(\.name)))
  }

  /// Reads the version. Throws `ModelError` with the position, and `SystemError` if it cannot be
  /// read.
  public func model() throws -> ManagedObjectModel {
    let folder = FileSystem.parent(of: path)
    if !FileSystem.exists(path), FileSystem.exists(folder + "/elements") {
      throw ModelError(
        "a model of Xcode 3, which is not XML", remedy: .advice("open and save it in Xcode"))
    }
    return try ModelParser.parse(try Self.contents(of: path))
  }

  private static func contents(of path: String) throws -> [UInt8] {
    try FileSystem.contents(of: FileHandle(open: path, O_RDONLY), atMostMegabytes: mostMegabytes)
  }

  /// The name of the version that `.xccurrentversion` names; nil without that file, which bundles
  /// with one version often lack.
  private static func currentVersion(of path: String) throws -> String? {
    let file = withoutSlash(path) + "/.xccurrentversion"
    guard FileSystem.exists(file) else { return nil }
    let bytes = try contents(of: file)
    return try bytes.withUnsafeBytes { bytes in
      var text = XMLScanner(bytes)
      do throws(XMLError) { return try text.currentVersion() } catch {
        var places = TextPlaces(bytes, TextPosition(line: 1, column: 1))
        throw ModelError(
          ".xccurrentversion:\(places.position(error.offset).text): \(error.message)")
      }
    }
  }

  private static func withoutSlash(_ path: String) -> String {
    var path = Substring(path)
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return String(path)
  }

  /// The name of a version's folder without the suffix.
  private static func named(_ folder: String) -> String {
    folder.hasSuffix(folderSuffix) ? String(folder.dropLast(folderSuffix.count)) : folder
  }
}

extension XMLScanner {
  /// Reads the value of `_XCCurrentVersionName` in a property list; nil if it has none.
  fileprivate mutating func currentVersion() throws(XMLError) -> String? {
    try skipProlog()
    for name in ["plist", "dict"] {
      let tag = try openingTag()
      guard tag.name == name else { throw XMLError("expected <\(name)>", at: tag.offset) }
      // Xcode writes an empty dictionary, too.
      if tag.isEmpty { return nil }
      try skipMisc()
    }
    while try !closes("dict") {
      let key = try content(of: openingTag())
      try skipMisc()
      let tag = try openingTag()
      let value = tag.isEmpty ? "" : try content(of: tag)
      if key == "_XCCurrentVersionName" { return value }
    }
    return nil
  }
}
