internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// `ckdb document get PATH`
enum DocumentGet {
  private static let output = Option(
    "output", "o", .file, default: "standard output", "File, or for a package a folder, to write")
  private static let version = Option(
    "version", nil, ValueKind<String>.text("ID"), "Print this version, as 'versions' lists them")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(DocumentNoun.path)],
      options: [AnyOption(output), AnyOption(version)],
      discussion: """
        Prints the contents of a document. They are fetched first if they are not on the device or \
        not the newest, as in a coordinated read. A device that is offline prints what it has, or \
        fails with notDownloaded.
        """,
      examples: [
        .init("Print a document", "ckdb document get Documents/notes.txt"),
        .init("Write it to a file", "ckdb document get Documents/notes.txt -o notes.txt"),
      ]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      let path = arguments.required(DocumentNoun.path)
      let reading = try store.open(path, version: arguments[version])
      if let target = arguments[output], target != "-" {
        try write(reading, to: target)
        return context.report("wrote \(path.text) to \(target)")
      }
      guard !reading.isPackage, let file = reading.files.first else {
        throw CommandError(
          "'\(path.text.visible)' is a package", .usage, hint: "write its files with -o DIR")
      }
      try file.verify()
      try file.copy { bytes in
        context.output.buffer += bytes
        context.output.spill()
      }
    }
  }

  /// Writes contents to a file, or those of a package to a folder, which must be new. A folder gets
  /// its name when it is complete.
  static func write(_ reading: DocumentStore.Reading, to path: String) throws {
    guard reading.isPackage else {
      for file in reading.files { try write(file, to: path) }
      return
    }
    try OutputFile.writeFolder(path) { draft in
      for file in reading.files {
        let target = "\(draft)/\(file.path)"
        try FileSystem.makeDirectories(FileSystem.parent(of: target))
        try write(file, to: target)
      }
    }
  }

  private static func write(_ file: DocumentStore.Reading.File, to path: String) throws {
    try OutputFile.write(path, verify: file.verify) { target in
      try file.copy { try target.write(all: $0) }
      if file.isExecutable { _ = fchmod(target.descriptor, 0o755) }
    }
  }
}
