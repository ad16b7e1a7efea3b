internal import Basics

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The lines of all prompts, each appended when it is entered: sessions side by side keep all of
/// theirs, and one that is killed has lost nothing.
struct HistoryFile {
  private let path: String
  /// So many lines are kept.
  private static let limit = 10_000

  /// Names a file for its owner alone, made by the first line.
  init(path: String) { self.path = path }

  /// The last lines. A file that has grown far beyond the limit is cut.
  func lines() -> [String] {
    guard let file = try? open(O_RDWR) else { return [] }
    let bytes = (try? FileSystem.contents(of: path)) ?? []
    let lines = bytes.split(separator: 0x0A)
    let kept = lines.suffix(Self.limit)
    if lines.count > 2 * Self.limit {
      try? FileSystem.replace(path, with: kept.flatMap { $0 + [0x0A] })
    }
    flock(file.descriptor, LOCK_UN)
    return kept.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Appends a line. What cannot be written is not missed.
  func append(_ line: String) {
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
