/// The enumerations of the sources, and the switches over them, found by the layout of lines.
struct Switches {
  /// The names of the cases of each enumeration.
  private let enumerations: [Set<String>]

  init(_ files: [SourceFile]) { enumerations = files.flatMap(Self.enumerations) }

  /// The lines with a `default` in a switch over one of our enumerations: it would silently take a
  /// case that is added later. Switches over several values at once are not checked.
  func defaults(in file: SourceFile) -> [Int] {
    file.lines.indices.filter { line in
      let text = file.lines[line].drop { $0 == " " }
      guard text.hasPrefix("default:") else { return false }
      let names = Self.names(before: line, in: file.lines)
      guard let names, !names.isEmpty else { return false }
      return enumerations.contains { $0.isSuperset(of: names) }
    }.map { $0 + 1 }
  }

  private static func indent(_ line: String) -> Int { line.prefix { $0 == " " }.count }

  /// The cases that a switch names before its `default`; nil if it tests several values, or
  /// something else.
  private static func names(before last: Int, in lines: [String]) -> Set<String>? {
    let indent = indent(lines[last])
    var names: Set<String> = []
    for line in lines[..<last].indices.reversed() where Self.indent(lines[line]) == indent {
      let text = lines[line].drop { $0 == " " }
      if text.contains("switch ") { return names }
      guard text.hasPrefix("case ") else { continue }
      var label = String(text.dropFirst(5))
      var next = line + 1
      while !label.contains(":"), next < last {
        label += lines[next]
        next += 1
      }
      guard let found = Self.names(in: label) else { return nil }
      names.formUnion(found)
    }
    return nil
  }

  /// The cases of a label: `.a, .b(let c) where …: …`.
  private static func names(in label: String) -> Set<String>? {
    var (names, depth, word): (Set<String>, Int, String) = ([], 0, "")
    for character in label {
      if character == ")" || character == "]" { depth -= 1 }
      if depth == 0, ",: ".contains(character) {
        if word.hasPrefix(".") {
          names.insert(String(word.dropFirst().prefix { $0.isLetter || $0.isNumber }))
        } else if !word.isEmpty, word != "let" {
          return nil
        }
        word = ""
        if character == ":" { break }
      } else {
        word.append(character)
      }
      if character == "(" || character == "[" { depth += 1 }
      if word == "where" { break }
    }
    return names
  }

  private static func enumerations(_ file: SourceFile) -> [Set<String>] {
    var (done, open): ([Set<String>], [(indent: Int, names: Set<String>)]) = ([], [])
    for line in file.lines {
      let (indent, text) = (indent(line), line.drop { $0 == " " })
      if let last = open.last, text == "}", indent == last.indent {
        done.append(last.names)
        open.removeLast()
      }
      if text.contains("enum "), text.hasSuffix("{"), !text.hasPrefix("//") {
        open.append((indent, []))
      }
      let words = text.hasPrefix("indirect ") ? text.dropFirst(9) : text
      guard words.hasPrefix("case "), let last = open.last, indent == last.indent + 2 else {
        continue
      }
      open[open.count - 1].names.formUnion(declared(words.dropFirst(5)))
    }
    return done
  }

  /// The cases that a line declares: `a, b(C, D), e = "f"`.
  private static func declared(_ text: Substring) -> [String] {
    var (names, depth, word): ([String], Int, String) = ([], 0, "")
    for character in text + "," {
      if character == "(" { depth += 1 }
      if depth == 0, character == "," {
        names.append(String(word.drop { " `".contains($0) }.prefix { !" `(=".contains($0) }))
        word = ""
      } else {
        word.append(character)
      }
      if character == ")" { depth -= 1 }
    }
    return names
  }
}
