public import Basics

/// The text of a schema file.
public enum SchemaText {
  /// The maximum size of a schema file: 5,000 types take a megabyte.
  private static let mostMegabytes = 16

  /// Reads the text of a file that errors call `name`. Throws `InvalidSchemaText` if it is not
  /// UTF-8, `SystemError` if it cannot be read.
  public static func read(_ name: String, _ file: FileHandle) throws -> String {
    let bytes = try FileSystem.contents(of: file, atMostMegabytes: mostMegabytes)
    if let place = bytes.withUnsafeBytes({ $0.firstInvalidUTF8 }) {
      throw InvalidSchemaText(file: name, line: bytes[..<place].count { $0 == 0x0A } + 1)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A schema file that is not UTF-8.
public struct InvalidSchemaText: Error, CustomStringConvertible {
  /// The name of the file.
  public let file: String
  /// The first line with a fault, counted from 1.
  public let line: Int

  /// `FILE:LINE: not valid UTF-8`.
  public var description: String { "\(file):\(line): not valid UTF-8" }
}
