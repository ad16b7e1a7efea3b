#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Brings files into the page cache as users have them. A copy by one large write lies there in
/// large folios, which take fewer page faults than what was read from the disk.
enum PageCache {
  /// Drops a file, or the files of a folder, and reads it back from the disk.
  static func readBack(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFDIR {
      for name in names(in: path) { readBack("\(path)/\(name)") }
      return
    }
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    #if os(Linux)
      // What is not on the disk yet stays in the cache.
      fdatasync(descriptor)
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    #endif
    var chunk = [UInt8](repeating: 0, count: 1 << 17)
    while read(descriptor, &chunk, chunk.count) > 0 {}
  }

  /// Copies a program as `make install` does.
  static func install(_ program: String, at path: String) throws {
    try ChildProcess(["dd", "if=\(program)", "of=\(path)", "bs=67108864"]).run()
    chmod(path, 0o755)
  }

  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}

extension ChildProcess {
  /// Reads back from the disk what the command starts and what it opens: its words that are paths.
  func readBack() {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    let folders = path.split(separator: ":")
    let programs = words[0].hasPrefix("/") ? [] : folders.map { "\($0)/\(words[0])" }
    if let program = programs.first(where: { access($0, X_OK) == 0 }) {
      PageCache.readBack(program)
    }
    for word in words where word.hasPrefix("/") { PageCache.readBack(word) }
  }

  /// How many instructions a run takes; nil where valgrind is not installed.
  func instructionCount(in folder: String) -> Double? {
    let log = "\(folder)/valgrind.txt"
    let valgrind = [
      "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=\(log)",
    ]
    guard (try? ChildProcess(valgrind + words, input: input).run()) != nil else { return nil }
    return TextFile.read(log).split(separator: "Collected : ").last.flatMap {
      Double($0.prefix { $0.isNumber })
    }
  }

  /// How many system calls a run makes; nil where strace is not installed.
  func callCount(in folder: String) -> Int? {
    let log = "\(folder)/strace.txt"
    let strace = ["strace", "-f", "-o", log]
    guard (try? ChildProcess(strace + words, input: input).run()) != nil else { return nil }
    return TextFile.read(log).split(separator: "\n").count { $0.contains("(") }
  }
}
