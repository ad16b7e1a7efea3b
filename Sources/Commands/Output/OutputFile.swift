internal import Basics
internal import CloudModel

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A file that a command writes for a user.
enum OutputFile {
  /// Writes a draft next to the target and renames it: no reader sees a partial file. A device or a
  /// pipe is written directly. Throws what `body` throws, and `CommandError` for the file.
  static func write<Result>(
    _ path: String, _ body: (FileHandle) throws -> Result
  ) throws -> Result {
    let isReplaceable = FileSystem.isReplaceable(path)
    let draft = isReplaceable ? "\(path).part-\(getpid())" : path
    do {
      let file = try FileHandle(open: draft, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
      let result = try body(file)
      guard !isReplaceable || rename(draft, path) == 0 else { throw SystemError("write", path) }
      return result
    } catch let failure as SystemError where failure.path == draft || failure.path == path {
      if isReplaceable { unlink(draft) }
      let error = SystemError(failure.operation, path, number: failure.number)
      throw CommandError(
        error.description, failure.isDiskFull ? .inputOutput : .cannotCreate)
    } catch {
      if isReplaceable { unlink(draft) }
      throw error
    }
  }
}
