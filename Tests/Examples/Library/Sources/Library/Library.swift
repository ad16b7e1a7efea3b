import Foundation

/// The books of the store that CKDB_STORE names.
public struct Library {
  /// A failed ckdb command.
  public struct Failure: Error, Equatable {
    /// The exit code.
    public let exitCode: Int32

    /// A failure with an exit code.
    public init(exitCode: Int32) { self.exitCode = exitCode }
  }

  /// Finds the store when a command runs.
  public init() {}

  /// Runs ckdb and returns the lines that it prints.
  @discardableResult
  public func run(_ words: String...) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["ckdb"] + words
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(exitCode: process.terminationStatus)
    }
    return text.split(separator: "\n").map(String.init)
  }

  /// The names of books of more than 200 pages.
  public func longBooks() throws -> [String] {
    try run("query", "Book", "pages > 200", "--format", "names")
  }
}
