internal import Basics
internal import CloudModel

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A file that a command writes for a user.
enum OutputFile {
  /// Writes contents that are verified while they are copied. A device or a pipe, which is written
  /// directly, must get no damaged bytes: `verify` reads the contents first.
  static func write(
    _ path: String, verify: () throws -> Void, _ copy: (FileHandle) throws -> Void
  ) throws {
    if !FileSystem.isReplaceable(path) { try verify() }
    try write(path, copy)
  }

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
    } catch {
      if isReplaceable { unlink(draft) }
      throw Self.error(error, of: draft, for: path)
    }
  }

  /// Writes a draft of a new folder next to it and renames it. Throws what `body` throws, and
  /// `CommandError` for a folder that exists or cannot be created.
  static func writeFolder(_ path: String, _ body: (String) throws -> Void) throws {
    let exists = CommandError("\(path) already exists", .cannotCreate)
    if FileSystem.status(of: path) != nil { throw exists }
    let draft = "\(path).part-\(getpid())"
    do {
      try FileSystem.makeDirectory(draft)
      try body(draft)
      guard Platform.renameExclusively(draft, path) == 0 else {
        throw errno == EEXIST ? exists : SystemError("create", path)
      }
    } catch {
      try? FileSystem.remove(draft)
      throw Self.error(error, of: draft, for: path)
    }
  }

  /// The error for a target whose draft could not be written.
  private static func error(_ error: any Error, of draft: String, for path: String) -> any Error {
    guard let failure = error as? SystemError, failure.path == draft || failure.path == path
    else { return error }
    return CommandError(
      SystemError(failure.operation, path, number: failure.number).description,
      failure.isDiskFull ? .inputOutput : .cannotCreate)
  }
}
