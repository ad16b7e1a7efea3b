internal import Basics
internal import Glibc

/// Pages of zeros in the database of keys and documents: a repair loses what is on the page, and
/// nothing else (issue 53).
enum ZeroedUbiquity {
  static let experiment = Experiment(name: "zeroed-keys", run: run)

  private static let path = "containers/iCloud.org.example.app/ubiquity/ubiquity.sqlite"
  /// No page has more rows: the shortest take about forty bytes.
  private static let rowsOnPage = 100

  private static func seed(_ laboratory: Laboratory) throws -> String {
    var commands = [["device", "add", "phone"], ["device", "add", "pad"]]
    let file = try laboratory.file("document", Array("a document".utf8))
    for number in 0..<150 {
      let device = number % 2 == 0 ? "phone" : "pad"
      commands.append(
        [
          "kvs", "set", "key\(number)=value \(number) " + String(repeating: "x", count: 40),
          "--device", device,
        ])
      commands.append(
        ["document", "put", file, "Documents/f\(number)", "--device", device])
    }
    commands += [["kvs", "sync", "--all"], ["document", "sync", "--all"]]
    for number in 0..<30 {
      commands.append(["kvs", "remove", "key\(number)", "--device", "phone"])
      commands.append(["document", "put", file, "Documents/g\(number)", "--device", "pad"])
    }
    commands.append(["store", "checkpoint"])
    return try laboratory.store(commands)
  }

  private static func things(_ laboratory: Laboratory, _ store: String) -> Set<String> {
    var things: Set<String> = []
    for device in ["phone", "pad"] {
      for words in [["kvs", "list", "--jsonl"], ["document", "list", "--jsonl"]] {
        let output = laboratory.answer(store, words + ["--device", device]).output
        for line in output.split(separator: "\n") { things.insert("\(device) \(line)") }
      }
    }
    return things
  }

  private static func run(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let seed = try seed(laboratory)
    let wanted = things(laboratory, try laboratory.copy(seed))
    let bytes = try FileSystem.contents(of: "\(seed)/\(path)")
    let pages = bytes.count / 4096
    var lost = 0
    for page in 1...pages {
      let store = try laboratory.copy(seed, to: "\(laboratory.work)/zeroed")
      var zeroed = bytes
      zeroed.replaceSubrange((page - 1) * 4096..<page * 4096, with: repeatElement(0, count: 4096))
      try FileSystem.replace("\(store)/\(path)", with: zeroed)
      let repair = laboratory.answer(store, ["doctor", "--repair"])
      if let text = laboratory.unsoundness(store) { findings.add("page \(page): \(text)") }
      let missing = wanted.subtracting(things(laboratory, store)).count
      lost += missing
      if missing > rowsOnPage { findings.add("page \(page): \(missing) lost") }
      if missing > 0, repair.code == 0 { findings.add("page \(page): lost in silence") }
    }
    return "\(pages) pages of \(wanted.count) keys and documents: \(lost) lost"
  }
}
