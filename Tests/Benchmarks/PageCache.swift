#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Puts files into the page cache as users have them. A copy made by one large write is cached in
/// large folios, which cause fewer page faults than pages read from the disk.
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
      // Pages that are not on the disk yet stay in the cache.
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
  /// Reads the program, and the files among its words, back from the disk.
  func readBack() {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    let folders = path.split(separator: ":")
    let programs = words[0].hasPrefix("/") ? [] : folders.map { "\($0)/\(words[0])" }
    if let program = programs.first(where: { access($0, X_OK) == 0 }) {
      PageCache.readBack(program)
    }
    for word in words where word.hasPrefix("/") { PageCache.readBack(word) }
  }

  /// The number of instructions of a run; nil if valgrind is not installed.
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

  /// The number of system calls of a run; nil if strace is not installed.
  func callCount(in folder: String) -> Int? {
    let log = "\(folder)/strace.txt"
    let strace = ["strace", "-f", "-o", log]
    guard (try? ChildProcess(strace + words, input: input).run()) != nil else { return nil }
    return TextFile.read(log).split(separator: "\n").count { $0.contains("(") }
  }
}
