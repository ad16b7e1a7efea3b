#if Server
  internal import Basics

  /// A file of a form. Its contents are in a temporary file without a name, which is gone when the
  /// handle is closed.
  public struct FormFile: @unchecked Sendable {
    /// The name of the input.
    public let name: String
    /// The file's name, as the browser sent it: never a path on this machine.
    public let fileName: String
    /// The contents; only one request at a time uses them.
    private let contents: FileHandle
    /// The number of bytes.
    public let size: Int64

    init(name: String, fileName: String, contents: FileHandle, size: Int64) {
      (self.name, self.fileName) = (name, fileName)
      (self.contents, self.size) = (contents, size)
    }

    /// The file as an operand of a command: its name, which may look like an option or stand for
    /// standard input.
    var operand: String { fileName.hasPrefix("-") ? "./\(fileName)" : fileName }

    /// The contents, from their beginning.
    func open() throws(SystemError) -> FileHandle {
      try contents.rewind()
      return contents
    }
  }

  extension FileHandle {
    /// Creates a file in a folder that has no name any more: it is gone when it is closed.
    convenience init(unnamedIn folder: String) throws(SystemError) {
      let path = "\(folder)/form-\(SystemRandom.bytes(8).hexadecimal)"
      try self.init(create: path)
      try FileSystem.remove(path)
    }
  }
#endif
