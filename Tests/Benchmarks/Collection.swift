#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The artworks of the scenarios: real ones if available, otherwise generated.
struct Collection {
  /// A file of JSON Lines.
  let path: String
  /// The accession numbers, in the file's order.
  let names: [String]
  /// The source, for the report.
  let origin: String

  static let fields = [
    ("acno", "TEXT PRIMARY KEY"), ("title", "TEXT"), ("medium", "TEXT"), ("dateText", "TEXT"),
    ("year", "INTEGER"), ("acquisitionYear", "INTEGER"), ("width", "REAL"), ("height", "REAL"),
    ("depth", "REAL"), ("creditLine", "TEXT"), ("classification", "TEXT"),
    ("inscription", "TEXT"), ("artists", "TEXT"), ("subjects", "TEXT"), ("url", "TEXT"),
  ]

  /// Uses the collection of a directory (`artworks.jsonl.gz`), or makes one of the same size.
  init(in work: String, from directory: String) throws {
    path = work + "/artworks.jsonl"
    let archive = directory + "/artworks.jsonl.gz"
    if access(archive, R_OK) == 0 {
      try ChildProcess(["gzip", "-dc", archive], output: path).run()
      origin = archive
    } else {
      TextFile.write(path, Self.made())
      origin = "made up: no \(archive)"
    }
    // A child's peak memory starts at its parent's, so the whole text is not read here.
    let list = work + "/names.txt"
    try ChildProcess(["cut", "-d\"", "-f4", path], output: list).run()
    names = TextFile.read(list).split(separator: "\n").map(String.init)
  }

  private static func made() -> String {
    var generator = SplitMix(state: 7)
    let words = [
      "study", "landscape", "river", "figure", "harbour", "evening", "portrait", "ruin", "storm",
    ]
    func phrase(_ count: Int) -> String {
      (0..<count).map { _ in words[Int(generator.next() % UInt64(words.count))] }
        .joined(separator: " ")
    }
    var text = ""
    for number in 1...69_202 {
      let digits = String(number)
      let name = "A" + String(repeating: "0", count: 5 - digits.count) + digits
      text += "{\"acno\": \"\(name)\", \"title\": \"\(phrase(6))\", \"medium\": \"\(phrase(4))\""
      text += ", \"dateText\": \"date not known\", \"year\": \(1500 + generator.next() % 500)"
      text += ", \"acquisitionYear\": \(1850 + generator.next() % 170)"
      text += ", \"width\": \(generator.next() % 2000).5, \"height\": \(generator.next() % 2000).0"
      text += ", \"creditLine\": \"\(phrase(5))\", \"classification\": \"on paper, unique\""
      text += ", \"artists\": [\(generator.next() % 3500)]"
      text += ", \"subjects\": [\"\(phrase(1))\", \"\(phrase(1))\", \"\(phrase(2))\"]"
      text += ", \"url\": \"http://example.org/\(name)/\(phrase(3))\"}\n"
    }
    return text
  }

  /// A script of the sqlite3 shell that reads the file into a typed table.
  var sqliteScript: String {
    let columns = Self.fields.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    let values = Self.fields.map { "json_extract(line, '$.\($0.0)')" }.joined(separator: ", ")
    return """
      .mode ascii
      .separator "\\001" "\\n"
      PRAGMA journal_mode = WAL;
      CREATE TABLE Artwork(\(columns)) STRICT;
      CREATE TEMP TABLE raw(line TEXT);
      .import \(path) raw
      INSERT INTO Artwork SELECT \(values) FROM raw;

      """
  }
}

/// A small generator with a fixed seed.
struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
