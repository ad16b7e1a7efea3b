internal import Basics
internal import CloudModel

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The folders whose files a fixture may use: its own, and those that the caller allows. A fixture
/// may come from anywhere, and the contents of the files that it names end up in records. So no
/// other files are read, no links are followed, and only regular files are opened.
struct FixtureFolders {
  private let folders: [String]

  /// Takes folders, whose paths may be relative.
  init(_ folders: [String]) throws(SystemError) {
    let current = try FileSystem.currentDirectory()
    self.current = current
    // With `..` after a link, the real folder differs from the plain path.
    self.folders = folders.compactMap { folder in
      let plain = Self.plain(folder, in: current)
      let real = FileSystem.withoutLinks(folder)
      return real == nil || real == FileSystem.withoutLinks(plain) ? plain : real
    }
  }

  private let current: String

  /// Throws `CloudError` for a path that is outside the folders, leads through a link, or is not a
  /// regular file.
  func check(_ path: String) throws(CloudError) {
    let plain = Self.plain(path, in: current)
    let folder = folders.first { plain.utf8.starts(with: ($0 == "/" ? $0 : $0 + "/").utf8) }
    guard let folder else {
      throw CloudError(
        .invalidArguments, "'\(path)' is outside the fixture's folder",
        remedy: .allowFiles)
    }
    // With `..` after a link, the system opens a different file.
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

  /// The absolute path, without `.` and `..`.
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
