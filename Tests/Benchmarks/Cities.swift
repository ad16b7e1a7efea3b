#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A million cities as JSON Lines: real ones, repeated with new numbers, if available; otherwise
/// generated.
enum Cities {
  /// The table that holds them, with the SQL of each column's value in a line of JSON.
  static let columns: [(name: String, type: String, value: String)] = [
    ("geonameid", "TEXT", "$.geonameid"), ("name", "TEXT", "$.name"),
    ("country", "TEXT", "$.country"), ("population", "INTEGER", "$.population"),
    ("timezone", "TEXT", "$.timezone"), ("latitude", "REAL", "$.latitude"),
    ("longitude", "REAL", "$.longitude"), ("tags", "TEXT", "$.tags"),
    ("rank", "INTEGER", "$.rank"),
  ]

  /// Writes `count` cities from a directory's `cities.jsonl.gz` to a file.
  static func write(_ count: Int, to path: String, from directory: String) throws {
    let source = path + ".source"
    let archive = directory + "/cities.jsonl.gz"
    if access(archive, R_OK) == 0 {
      try ChildProcess(["gzip", "-dc", archive], output: source).run()
    } else {
      writeMadeUp(to: source)
    }
    guard let output = fopen(path, "w") else { return }
    defer { fclose(output) }
    var number = 0
    while number < count {
      forEachLine(of: source) { line in
        guard number < count, let city = line.city(number) else { return }
        fputs(city, output)
        number += 1
      }
    }
    unlink(source)
  }

  private static func forEachLine(of path: String, _ body: (String) -> Void) {
    guard let file = fopen(path, "r") else { return }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 4096)
    while fgets(&buffer, Int32(buffer.count), file) != nil {
      buffer.withUnsafeBufferPointer { text in
        if let start = text.baseAddress { body(String(cString: start)) }
      }
    }
  }

  private static func writeMadeUp(to path: String) {
    guard let file = fopen(path, "w") else { return }
    defer { fclose(file) }
    var generator = SplitMix(state: 11)
    func draw(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }
    let syllables = ["lon", "don", "ber", "gen", "pa", "ris", "mos", "qui", "to", "stan", "ville"]
    let countries = ["GB", "FR", "US", "IN", "CN", "BR", "ZA", "IR", "JP", "MX"]
    let zones = ["Europe/London", "Asia/Tehran", "America/Lima", "Africa/Cairo"]
    for number in 0..<170_000 {
      let name = (0...2).map { _ in syllables[draw(syllables.count)] }.joined()
      fputs(
        "{\"geonameid\": \(number), \"name\": \"\(name)\", "
          + "\"country\": \"\(countries[draw(countries.count)])\", "
          + "\"population\": \(draw(1000) * draw(1000) * draw(30)), "
          + "\"timezone\": \"\(zones[draw(zones.count)])\", "
          + "\"latitude\": \(draw(170) - 85).\(draw(100_000)), "
          + "\"longitude\": \(draw(358) - 179).\(draw(100_000))}\n", file)
    }
  }
}

extension String {
  /// A line of the source as the city `number`, with a rank, and tags of country and continent;
  /// nil for a line in another form.
  fileprivate func city(_ number: Int) -> String? {
    let words = split(separator: "\"", omittingEmptySubsequences: false)
    guard words.count > 13, words[3] == "name", words[7] == "country", words[13] == "timezone",
      let continent = words[15].split(separator: "/").first
    else { return nil }
    let rest = words[3...].joined(separator: "\"")
    return "{\"geonameid\": \"\(number)\", \"tags\": [\"\(words[9])\", \"\(continent)\"], "
      + "\"rank\": \(number * 7919 % 1_000_003), \"\(rest)"
  }
}
