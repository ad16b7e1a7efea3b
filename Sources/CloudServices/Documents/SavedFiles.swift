internal import Basics

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The files that became a document.
public struct SavedFiles {
  /// The path of the file, or of a package's folder.
  let path: String
  let files: [File]

  /// A file as it was read.
  struct File {
    let path: String
    let state: FileHandle.State
  }

  /// Removes the files, and the folders that this leaves empty. Keeps files that were changed or
  /// added since they were read, and returns their paths. Throws `SystemError`.
  public func remove() throws -> [String] {
    for file in files {
      guard let now = try? FileHandle(openRegular: file.path).state(), now == file.state
      else { continue }
      try FileSystem.remove(file.path)
    }
    return try removeEmptyFolders(path)
  }

  private func removeEmptyFolders(_ path: String) throws -> [String] {
    guard let status = try FileSystem.statusIfAny(of: path) else { return [] }
    guard status.st_mode & S_IFMT == S_IFDIR else { return [path] }
    let left = try FileSystem.list(path).flatMap { try removeEmptyFolders("\(path)/\($0)") }
    guard left.isEmpty, rmdir(path) != 0 else { return left }
    // Another program has added a file meanwhile.
    guard errno == ENOTEMPTY || errno == EEXIST else { throw SystemError("remove", path) }
    return [path]
  }
}
