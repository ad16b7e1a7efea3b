#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Messages that `ckdb-serve` and `ckdb-remote` print before and after running commands.
public enum ProgramMessage {
  /// Prints a line.
  public static func say(_ line: String) {
    let output = FileHandle(descriptor: 1, path: "standard output", closesAtEnd: false)
    try? output.writeAll(Array("\(line)\n".utf8))
  }

  /// Prints an error and ends the program with a code of sysexits(3).
  public static func fail(_ text: String, _ code: Int32) -> Never {
    let errors = FileHandle(descriptor: 2, path: "standard error", closesAtEnd: false)
    try? errors.writeAll(Array("ckdb: error: \(text)\n".utf8))
    exit(code)
  }
}
