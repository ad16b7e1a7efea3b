internal import Glibc

/// A source file of the project, for the tidy tests.
struct SourceFile {
  /// The path from the project's root.
  let path: String
  /// The lines, without their line ends.
  let lines: [String]

  /// The project's root: Tests/Tidy/SourceFile.swift is three levels below it.
  static let root: String = #filePath.split(separator: "/").dropLast(3)
    .reduce("") { $0 + "/" + $1 }

  /// The Swift files below a folder.
  static func all(in folder: String) -> [SourceFile] {
    Directory.names("\(root)/\(folder)").flatMap { name -> [SourceFile] in
      let path = "\(folder)/\(name)"
      if Directory.exists("\(root)/\(path)") { return all(in: path) }
      guard name.hasSuffix(".swift") else { return [] }
      let lines = Directory.contents("\(root)/\(path)").split(
        separator: "\n", omittingEmptySubsequences: false)
      return [SourceFile(path: path, lines: lines.dropLast().map(String.init))]
    }
  }

  /// The target that the file belongs to.
  var target: String { String(path.split(separator: "/")[1]) }

  /// The modules that the file imports, with their lines.
  var imports: [(line: Int, module: String)] {
    lines.enumerated().compactMap { index, line in
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(of: "import"), words.count == place + 2,
        words[..<place].allSatisfy({ Self.importModifiers.contains($0) })
      else { return nil }
      return (index + 1, String(words[place + 1]))
    }
  }

  private static let importModifiers: Set<Substring> = [
    "package", "internal", "public", "@testable", "@_exported",
  ]

  /// The part of a line that is a comment or a test's title; nil for none.
  static func prose(of line: String) -> Substring? {
    if line.has("// "), let comment = line.firstRange(of: "// ") {
      return line[comment.upperBound...]
    }
    let words = line.drop { $0 == " " }
    let isTitle = words.hasPrefix("@Test(\"") || words.hasPrefix("@Suite(\"")
    // A title on a separate line.
    let isAlone = words.hasPrefix("\"") && words.filter { $0 == "\"" }.count == 2
    return isTitle || isAlone ? words : nil
  }

  /// The first lines of functions, and their lengths, found by the indentation of braces.
  var functionLengths: [(line: Int, length: Int)] {
    lines.indices.compactMap { start in
      let line = lines[start]
      guard line.has("func ") || line.has(" init("), !line.has("///") else { return nil }
      let indent = line.prefix { $0 == " " }
      guard let end = lines[start...].firstIndex(where: { $0 == indent + "}" }) else { return nil }
      return (start + 1, end - start + 1)
    }
  }
}

extension String {
  /// Whether the bytes of another text occur in this one: faster than `contains`, which compares
  /// characters.
  func has(_ word: String) -> Bool {
    var (text, word) = (self, word)
    return text.withUTF8 { text in
      word.withUTF8 { word in
        guard var rest = text.baseAddress, let wanted = word.baseAddress else { return false }
        let end = rest + text.count
        while let next = memchr(rest, Int32(wanted[0]), end - rest) {
          let place = UnsafePointer(next.assumingMemoryBound(to: UInt8.self))
          if end - place < word.count { return false }
          if memcmp(place, wanted, word.count) == 0 { return true }
          rest = place + 1
        }
        return false
      }
    }
  }

  /// The text without a character at its end.
  func trimmingSuffix(_ suffix: Character) -> String {
    last == suffix ? String(dropLast()) : self
  }
}

/// Directories and files, by the C library: the tidy tests import nothing that they check.
enum Directory {
  static func exists(_ path: String) -> Bool {
    guard let directory = opendir(path) else { return false }
    closedir(directory)
    return true
  }

  static func names(_ path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  static func contents(_ path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
    }
  }
}
