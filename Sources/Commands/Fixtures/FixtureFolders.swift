internal import Basics
internal import CloudModel
internal import CommandKit

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The folders whose files a fixture may name: its own, and those of --allow-files. A fixture is
/// text from anywhere, and what it names ends up in records: so nothing else is read, no link is
/// followed, and nothing but a regular file is opened.
struct FixtureFolders {
  static let option = Option(
    "allow-files", nil, .directory, takesMany: true,
    "Additional directory whose files a fixture may use")

  private let folders: [String]

  /// Takes folders, which may be relative ones.
  init(_ folders: [String]) throws(SystemError) {
    let current = try FileSystem.currentDirectory()
    self.current = current
    // One with `..` after a link is another folder than its name says.
    self.folders = folders.compactMap { folder in
      let plain = Self.plain(folder, in: current)
      let real = FileSystem.withoutLinks(folder)
      return real == nil || real == FileSystem.withoutLinks(plain) ? plain : real
    }
  }

  private let current: String

  /// Throws `CloudError` for a path that leads out of the folders, through a link, or to something
  /// else than a regular file.
  func check(_ path: String) throws(CloudError) {
    let plain = Self.plain(path, in: current)
    let folder = folders.first { plain.utf8.starts(with: ($0 == "/" ? $0 : $0 + "/").utf8) }
    guard let folder else {
      throw CloudError(
        .invalidArguments, "'\(path)' is outside the fixture's folder",
        remedy: "allow it with --allow-files DIR")
    }
    // With `..` after a link the system finds another file.
    guard FileSystem.identity(of: path) == FileSystem.identity(of: plain) else {
      throw CloudError(.invalidArguments, "'\(path)' leads through a symbolic link")
    }
    var place = folder == "/" ? "" : folder
    for name in plain.dropFirst(folder.count).split(separator: "/") {
      place += "/" + name
      guard let status = FileSystem.status(of: place) else { return }
      if status.st_mode & S_IFMT == S_IFLNK {
        throw CloudError(.invalidArguments, "'\(path)' leads through a symbolic link")
      }
    }
    if let status = FileSystem.status(of: place), status.st_mode & S_IFMT != S_IFREG {
      throw CloudError(.invalidArguments, "'\(path)' is not a regular file")
    }
  }

  /// A path from the root, without `.` and `..`.
  private static func plain(_ path: String, in current: String) -> String {
    var names: [Substring] = []
    for name in (path.hasPrefix("/") ? path : "\(current)/\(path)").split(separator: "/") {
      switch name {
      case ".": continue
      case "..": _ = names.popLast()
      default: names.append(name)
      }
    }
    return "/" + names.joined(separator: "/")
  }
}
