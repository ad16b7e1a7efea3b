import Basics
import Glibc
import TestSupport
import Testing

extension RealProgram {
  /// The program with a store that has a zone `Z` with a record, and a record whose list takes long
  /// to search.
  static func seeded() throws -> RealProgram {
    let program = try RealProgram()
    let numbers = (0..<20_000).map(String.init).joined(separator: ",")
    try program.file("slow.jsonl", "{\"recordType\":\"Slow\",\"fields\":{\"l\":[\(numbers)]}}\n")
    let made = try program.shell(
      """
      ckdb init -q && ckdb container create iCloud.org.example.app -q && ckdb zone create Z -q \
      && ckdb record save Note --name n1 -z Z -q title=one && ckdb import slow.jsonl -q
      """)
    try #require(made.code == 0, "\(made.errors)")
    return program
  }

  /// Compares each member with each, which takes minutes.
  static let slowQuery = "query Slow 'SUBQUERY(l, $x, ANY l < $x - 99999).@count > 0'"

  /// The program at its prompt.
  func prompt() throws -> TerminalProgram {
    let terminal = try TerminalProgram(self)
    try terminal.expectPrompt()
    return terminal
  }

  /// Takes the writers' lock of the environment until it is unlocked.
  func lockedForWriting() throws -> FileHandle {
    let lock = try FileHandle(
      open: directory.path + "/store/containers/iCloud.org.example.app/development/lock", O_RDWR)
    flock(lock.descriptor, LOCK_EX)
    return lock
  }

  /// Whether the zone `Z` exists.
  func hasZone() throws -> Bool {
    try shell("ckdb zone list -f names").output.contains("Z\n")
  }
}
