// Contains every name that differs between C libraries.
#if canImport(Glibc)
  internal import CPlatform
  public import Glibc
#elseif canImport(Darwin)
  public import Darwin
#endif

/// The calls whose spelling depends on the platform.
public enum Platform {
  /// The error number of this thread's last failed call.
  public static var errorNumber: Int32 { errno }

  /// The ID of this process.
  public static var processNumber: Int32 { getpid() }

  /// Whether a process with this ID exists.
  public static func isRunning(_ process: Int32) -> Bool {
    kill(process, 0) == 0 || errno == EPERM
  }

  /// The command line arguments after the program's name; nil for an argument that is not valid
  /// UTF-8, which `CommandLine.arguments` would repair.
  public static var commandLineWords: [String?] {
    (1..<max(1, ckdb_argument_count())).map { index in
      ckdb_argument(index).flatMap { String(validatingCString: $0) }
    }
  }

  /// The environment variables of this process.
  public static var environmentVariables: [String: String] {
    var variables: [String: String] = [:]
    var place = environ
    while let entry = place.pointee {
      let text = String(cString: entry)
      if let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) {
        variables[String(text[..<equals])] = String(text[text.utf8.index(after: equals)...])
      }
      place += 1
    }
    return variables
  }

  private static var programName: String { ckdb_argument(0).map { String(cString: $0) } ?? "ckdb" }

  /// The executable file of this process.
  public static var executablePath: String {
    #if canImport(Glibc)
      let link = realpath("/proc/self/exe", nil)
    #else
      let link = realpath(programName, nil)
    #endif
    defer { free(link) }
    return link.map { String(cString: $0) } ?? programName
  }

  /// Whether bytes contain others, in time proportional to the sum of their lengths.
  public static func contains(
    _ bytes: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer
  ) -> Bool {
    guard let start = bytes.baseAddress, let wanted = part.baseAddress else {
      return part.isEmpty
    }
    return memmem(start, bytes.count, wanted, part.count) != nil
  }

  /// Makes a file's I/O bypass the page cache, or not; returns false if unsupported. Direct I/O
  /// needs addresses, offsets and lengths that are multiples of the disk's block size.
  public static func setDirect(_ descriptor: Int32, _ isDirect: Bool) -> Bool {
    #if canImport(Glibc)
      let flags = fcntl(descriptor, F_GETFL)
      guard flags >= 0 else { return false }
      return fcntl(descriptor, F_SETFL, isDirect ? flags | ckdb_direct : flags & ~ckdb_direct) == 0
    #else
      return fcntl(descriptor, F_NOCACHE, isDirect ? 1 : 0) == 0
    #endif
  }

  /// Gives a file a second name.
  static func link(_ path: String, _ other: String) -> Int32 {
    #if canImport(Glibc)
      Glibc.link(path, other)
    #else
      Darwin.link(path, other)
    #endif
  }

  /// Reads what a symbolic link contains; returns its length, or a negative number.
  static func readLink(_ path: String, _ buffer: UnsafeMutableBufferPointer<CChar>) -> Int {
    buffer.baseAddress.map { readlink(path, $0, buffer.count) } ?? -1
  }

  /// Renames a file, and replaces an existing one.
  static func rename(_ old: String, _ new: String) -> Int32 {
    #if canImport(Glibc)
      Glibc.rename(old, new)
    #else
      Darwin.rename(old, new)
    #endif
  }

  /// Renames without replacing: fails with `EEXIST` if the new name is taken.
  public static func renameExclusively(_ old: String, _ new: String) -> Int32 {
    #if canImport(Glibc)
      return renameat2(AT_FDCWD, old, AT_FDCWD, new, ckdb_rename_noreplace)
    #else
      return renamex_np(old, new, UInt32(RENAME_EXCL))
    #endif
  }

  /// How a file gets a name in a folder.
  enum Placing {
    /// The name must be free.
    case exclusively
    /// The file is exchanged with the one that has the name.
    case exchanging
  }

  /// Renames from one open folder to another.
  static func rename(
    _ old: String, in source: Int32, to new: String, in target: Int32, _ placing: Placing
  ) -> Int32 {
    #if canImport(Glibc)
      let flags =
        switch placing {
        case .exclusively: ckdb_rename_noreplace
        case .exchanging: ckdb_rename_exchange
        }
      return renameat2(source, old, target, new, flags)
    #else
      let flags =
        switch placing {
        case .exclusively: UInt32(RENAME_EXCL)
        case .exchanging: UInt32(RENAME_SWAP)
        }
      return renameatx_np(source, old, target, new, flags)
    #endif
  }

  /// An identifier of this run of the system; nil if there is none.
  public static var systemRun: String? {
    #if canImport(Glibc)
      guard let bytes = try? FileSystem.contents(of: "/proc/sys/kernel/random/boot_id") else {
        return nil
      }
      return String(decoding: bytes.prefix { $0 > 0x20 }.prefix(40), as: UTF8.self)
    #else
      return nil
    #endif
  }

  /// Writes all of a file system's cached data to its disk; -1 if there is no such call.
  static func synchronizeFileSystem(of descriptor: Int32) -> Int32 {
    #if canImport(Glibc)
      return syncfs(descriptor)
    #else
      return -1
    #endif
  }

  /// Exchanges two files, or two directories with their contents, atomically.
  static func exchange(_ one: String, _ other: String) -> Int32 {
    #if canImport(Glibc)
      return renameat2(AT_FDCWD, one, AT_FDCWD, other, ckdb_rename_exchange)
    #else
      return renamex_np(one, other, UInt32(RENAME_SWAP))
    #endif
  }

  /// Copies between the current places of two open files, sharing blocks if the file system can;
  /// returns how many bytes, 0 at the end, -1 with `errno`.
  static func copy(_ source: Int32, to target: Int32, atMost count: Int) -> Int {
    #if canImport(Glibc)
      return copy_file_range(source, nil, target, nil, count, 0)
    #else
      errno = ENOTSUP
      return -1
    #endif
  }

  /// When anything about a file changed, in nanoseconds since 1970.
  public static func changeNanoseconds(of status: stat) -> Int64 {
    #if canImport(Glibc)
      return Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
    #else
      return Int64(status.st_ctimespec.tv_sec) * 1_000_000_000
        + Int64(status.st_ctimespec.tv_nsec)
    #endif
  }

  /// The modification time of a file, in nanoseconds since 1970.
  public static func modificationNanoseconds(of status: stat) -> Int64 {
    #if canImport(Glibc)
      return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    #else
      return Int64(status.st_mtimespec.tv_sec) * 1_000_000_000
        + Int64(status.st_mtimespec.tv_nsec)
    #endif
  }

  /// Lets this process open as many files as the system allows it.
  public static func raiseFileLimit() {
    #if canImport(Glibc)
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let files = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard getrlimit(files, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(files, &limit)
  }

  /// Limits how much freed memory the C library keeps. Call it before threads start.
  ///
  /// By default, glibc has up to eight arenas per processor, each of which stays as large as it
  /// ever was, and after a large allocation keeps twice its size at the end of an arena.
  public static func limitFreeMemory() {
    #if canImport(Glibc)
      _ = mallopt(ckdb_arena_max, Int32(clamping: processorCount))
      _ = mallopt(ckdb_trim_threshold, 128 << 10)
    #endif
  }

  /// Gives freed memory back to the system.
  public static func releaseFreeMemory() {
    #if canImport(Glibc)
      _ = malloc_trim(0)
    #else
      _ = malloc_zone_pressure_relief(nil, 0)
    #endif
  }

  /// The program that opens a page in the user's browser.
  public static var openingProgram: String {
    #if canImport(Glibc)
      "xdg-open"
    #else
      "/usr/bin/open"
    #endif
  }

  /// Whether a browser needs an X11 or Wayland display.
  public static var needsDisplay: Bool {
    #if canImport(Glibc)
      true
    #else
      false
    #endif
  }

  /// How many processors may run this process's threads.
  public static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// The name of this machine in its network.
  public static var hostName: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "localhost" }
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The wall clock, in milliseconds since 1970.
  public static var wallClockMilliseconds: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }

  /// The offset of the machine's time zone from UTC at a time, in seconds.
  public static func localOffset(atSeconds seconds: Int64) -> Int64 {
    var time = time_t(seconds)
    var local = tm()
    localtime_r(&time, &local)
    return Int64(local.tm_gmtoff)
  }

  /// A clock that never goes back, in milliseconds.
  public static var monotonicMilliseconds: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }

  /// A clock that never goes back, in microseconds.
  public static var monotonicMicroseconds: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
  }

  /// Names the calling thread, for debuggers and `top -H`; at most 15 bytes.
  public static func nameThread(_ name: String) {
    #if canImport(Darwin)
      pthread_setname_np(name)
    #else
      pthread_setname_np(pthread_self(), name)
    #endif
  }

  /// Lets other threads and processes run for a while.
  public static func sleep(milliseconds: Int64) {
    var time = timespec(
      tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000) * 1_000_000)
    nanosleep(&time, nil)
  }
}
