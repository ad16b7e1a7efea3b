internal import Basics
internal import CloudServices
internal import CommandKit

/// The server's program, which lies next to this one: `ckdb-serve`. It links what no other command
/// needs, so it is a program, and a package, of its own.
struct ServerProgram {
  private let path: String

  /// Finds the program. Throws `CommandError` if it is not installed.
  init(_ context: Context) throws {
    path = FileSystem.parent(of: context.surroundings.executable()) + "/ckdb-serve"
    guard FileSystem.exists(path) else {
      throw CommandError(
        "the server is not installed: there is no \(path)", .unavailable,
        hint: "install the package ckdb-server, or run 'make install-server'")
    }
  }

  /// The words that start it. It refuses another version of this program.
  func words(_ task: String, _ values: String...) -> [String] {
    [path, ProgramVersion.number, task] + values
  }
}
