internal import Basics
internal import CloudServices

/// A store of its own for a while.
enum TemporaryStore {
  /// Makes an empty directory for its owner alone, where `TMPDIR` says. Throws `SystemError`.
  static func makeDirectory(_ context: Context) throws -> String {
    let parent = context.surroundings.variable("TMPDIR") ?? "/tmp"
    do { return try FileSystem.makeTemporaryDirectory(in: parent, prefix: "ckdb-") } catch {
      throw CommandError(error.description, error.isDiskFull ? .inputOutput : .cannotCreate)
    }
  }

  /// Gives an empty store to `body`, and removes it then.
  static func with<Result>(
    _ context: Context, _ body: (CloudStore) throws -> Result
  ) throws -> Result {
    let directory = try makeDirectory(context)
    defer { try? FileSystem.remove(directory) }
    let store = CloudStore(path: directory + "/store")
    _ = try store.create()
    return try body(store)
  }
}
