internal import Basics
internal import CloudModel
internal import WireFormat

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A directory has no file whose suffix is that of a fixture.
public struct EmptyFixtureDirectory: Error {
  /// The directory.
  public let path: String
}

/// The files of a fixture: the named ones, and those in named directories.
struct FixtureFiles {
  /// Their content.
  private(set) var fixture: Fixture

  /// Reads files and directories; `-` is `input`. Throws `SystemError` if one cannot be read,
  /// `EmptyFixtureDirectory`, or the errors of their texts.
  init(_ named: [String], input: FileHandle?, _ settings: FixtureSettings) throws {
    let paths = try Self.paths(named)
    var reader = FixtureReader(scope: settings.database, zone: settings.zone)
    for path in paths { try Self.read(path, input, &reader) }
    reader.finish()
    fixture = reader.fixture
  }

  /// The base directories of relative paths in the files.
  var directories: [String] {
    fixture.sources.map { $0 == "-" ? "." : FileSystem.parent(of: $0) }
  }

  /// Adds a file that faults may refer to; returns its index.
  mutating func addSource(_ path: String) -> Int {
    fixture.sources.append(path)
    return fixture.sources.count - 1
  }

  /// The paths of the files, in the order in which they are read.
  static func paths(_ named: [String]) throws -> [String] {
    try named.flatMap { try files($0) }
  }

  /// The fixture files in a directory, in byte order. Subdirectories are ignored: they contain the
  /// contents of assets.
  private static func files(_ path: String) throws -> [String] {
    guard path != "-", FileSystem.isDirectory(path) else { return [path] }
    let directory = path.hasSuffix("/") ? String(path.dropLast()) : path
    let names = try FileSystem.list(directory).filter { name in
      !name.hasPrefix(".") && TextFormat(suffixOf: name) != nil
        && (try? FileHandle(openRegular: "\(directory)/\(name)")) != nil
    }
    guard !names.isEmpty else {
      throw EmptyFixtureDirectory(path: path)
    }
    return names.map { FileSystem.path($0, in: directory) }
  }

  private static func read(
    _ path: String, _ input: FileHandle?, _ reader: inout FixtureReader
  ) throws {
    let file = if path == "-", let input { input } else { try FileHandle(open: path, O_RDONLY) }
    if try file.state().isDirectory { throw SystemError("read", path, number: EISDIR) }
    let type = String(FileSystem.name(of: path).prefix { $0 != "." })
    reader.begin(path, type: path == "-" ? nil : (try? RecordType(type))?.text)
    try reader.read(file, TextFormat(suffixOf: path) ?? .json)
  }
}
