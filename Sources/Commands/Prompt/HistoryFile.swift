internal import Basics

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The entries of all prompts, each appended when it is entered, so that concurrent and killed
/// sessions lose none. An entry of several lines is one line of the file, with record separators
/// for newlines.
struct HistoryFile {
  private let path: String
  /// The number of entries to keep.
  private let limit: Int
  private static let lineEnd: Character = "\u{1E}"

  /// Uses a private file, which the first entry creates.
  init(path: String, limit: Int = 10_000) { (self.path, self.limit) = (path, limit) }

  /// The last entries. A file of more than twice the limit is shortened.
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

  /// Appends an entry. Write errors are ignored.
  func append(_ entry: String) {
    let line = String(entry.map { $0 == "\n" ? Self.lineEnd : $0 })
    guard let file = try? open(O_WRONLY | O_CREAT | O_APPEND) else { return }
    try? file.writeAll(Array("\(line)\n".utf8))
    flock(file.descriptor, LOCK_UN)
  }

  /// Opens and locks the current file of that name: another session may just have replaced it.
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
