internal import Basics
internal import CloudServices
internal import CommandKit

/// A program in the same folder as this one. It links libraries that most commands do not need, and
/// is installed by a separate package.
struct CompanionProgram {
  private let path: String

  /// The server, `ckdb-serve`. Throws `CommandError` if it is not installed.
  static func server(_ context: Context) throws -> CompanionProgram {
    try CompanionProgram("ckdb-serve", "the server", context)
  }

  /// The client for other servers, `ckdb-remote`. Throws `CommandError` if it is not installed.
  static func client(_ context: Context) throws -> CompanionProgram {
    try CompanionProgram("ckdb-remote", "the client for other servers", context)
  }

  private init(_ name: String, _ what: String, _ context: Context) throws {
    path = FileSystem.parent(of: context.surroundings.executable()) + "/" + name
    guard FileSystem.exists(path) else {
      throw CommandError(
        "\(what) is not installed: there is no \(path)", .unavailable,
        hint: "install the package ckdb-server, or run 'make install-server'")
    }
  }

  /// The words that start it. It refuses another version of this program.
  func words(_ values: String...) -> [String] { words(values) }

  /// The words that start it.
  func words(_ values: [String]) -> [String] { [path, ProgramVersion.number] + values }
}
