internal import Basics

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The entries of all prompts, each appended when it is entered: concurrent sessions keep all of
/// theirs, and one that is killed has lost nothing. An entry of several lines is one line of the
/// file, with record separators for its line ends.
struct HistoryFile {
  private let path: String
  /// So many entries are kept.
  private let limit: Int
  private static let lineEnd: Character = "\u{1E}"

  /// Names a file for its owner alone, made by the first entry.
  init(path: String, limit: Int = 10_000) { (self.path, self.limit) = (path, limit) }

  /// The last entries. A file that has grown far beyond the limit is cut.
  func entries() -> [String] {
    guard let file = try? open(O_RDWR) else { return [] }
    let bytes = (try? FileSystem.contents(of: path)) ?? []
    let lines = bytes.split(separator: 0x0A)
    let kept = lines.suffix(limit)
    if lines.count > 2 * limit {
      try? FileSystem.replace(path, with: kept.flatMap { $0 + [0x0A] })
    }
    flock(file.descriptor, LOCK_UN)
    return kept.map { line in
      String(String(decoding: line, as: UTF8.self).map { $0 == Self.lineEnd ? "\n" : $0 })
    }
  }

  /// Appends an entry. What cannot be written is not missed.
  func append(_ entry: String) {
    let line = String(entry.map { $0 == "\n" ? Self.lineEnd : $0 })
    guard let file = try? open(O_WRONLY | O_CREAT | O_APPEND) else { return }
    try? file.writeAll(Array("\(line)\n".utf8))
    flock(file.descriptor, LOCK_UN)
  }

  /// Opens and locks the file that has the name now: another session may just have cut it.
  private func open(_ flags: Int32) throws(SystemError) -> FileHandle {
    while true {
      let file = try FileHandle(open: path, flags | O_NOFOLLOW, mode: 0o600)
      fchmod(file.descriptor, 0o600)
      flock(file.descriptor, LOCK_EX)
      let status = try file.status()
      guard let named = FileSystem.status(of: path), named.st_ino != status.st_ino else {
        return file
      }
    }
  }
}
