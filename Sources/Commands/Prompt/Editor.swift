internal import Basics
internal import CommandKit

/// The user's editor.
struct Editor {
  private let context: Context
  private let command: String

  init(_ context: Context) throws {
    self.context = context
    let variable = context.surroundings.variable
    command =
      try context.session.configuration().text("editor") ?? variable("VISUAL")
      ?? variable("EDITOR") ?? "vi"
  }

  /// Lets the user edit a text in a temporary file. Returns it without trailing newlines, or nil if
  /// the editor fails. Throws `SystemError`.
  func edit(_ text: String, named name: String) throws -> String? {
    let folder = context.surroundings.variable("TMPDIR") ?? "/tmp"
    let directory = try FileSystem.makeTemporaryDirectory(in: folder, prefix: "ckdb-")
    defer { try? FileSystem.remove(directory) }
    let path = "\(directory)/\(name)"
    try FileSystem.replace(path, with: Array("\(text)\n".utf8))
    guard try open(path) else { return nil }
    var edited = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    while edited.hasSuffix("\n") { edited.removeLast() }
    return edited
  }

  /// Opens a file in the editor. Returns whether the editor succeeded. Throws `SystemError`.
  func open(_ path: String) throws -> Bool {
    context.surroundings.flush()
    return try ChildProcess.run(
      ["/bin/sh", "-c", "\(command) \"$1\"", "sh", path], context.surroundings.allVariables(),
      output: 1, errors: 2) == 0
  }
}
