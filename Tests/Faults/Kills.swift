internal import Basics
internal import Glibc

/// SIGKILL at random moments (F01): acknowledged changes are there, nothing is damaged, no asset
/// dangles.
enum Kills {
  static let experiment = Experiment(name: "kills", run: run)

  private static let rounds = 1000
  private static let roundsOfAStore = 50

  private static func run(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    var random = SplitMix64(state: 2)
    let file = try laboratory.file("contents", Array(repeating: 0x62, count: 20_000))
    let records = try laboratory.file(
      "killed.jsonl",
      (0..<400).flatMap { Array("{\"recordName\":\"i\($0)\",\"fields\":{\"n\":\($0)}}\n".utf8) })
    var store = ""
    var acknowledged: [String: Bool] = [:]
    var (count, damaged, lost) = (0, 0, 0)
    for round in 0..<rounds {
      if round % roundsOfAStore == 0 {
        if !store.isEmpty { try FileSystem.remove(store) }
        store = try laboratory.store([
          ["zone", "create", "Z"], ["record", "save", "Note", "--name", "first", "-z", "Z"],
          ["subscription", "create", "query", "Note", "--on", "create,delete", "--id", "notes"],
        ])
        acknowledged = [:]
      }
      count += try work(laboratory, store, round, file, records, &acknowledged, &random)
      if let text = laboratory.unsoundness(store) {
        damaged += 1
        findings.add("round \(round): \(text)")
      }
      if let text = strayNotification(laboratory, store) {
        lost += 1
        findings.add("round \(round): \(text)")
      }
      for (question, isThere) in acknowledged {
        let words = question.split(separator: " ").map(String.init) + ["-z", "Z"]
        let found = laboratory.answer(store, words).code == 0
        if found != isThere {
          lost += 1
          findings.add("round \(round): \(question) is \(found ? "there" : "lost")")
        }
      }
      acknowledged = [:]
    }
    return "\(rounds) kills, \(count) acknowledged: \(damaged) damaged, \(lost) lost"
  }

  /// A record without a notification of its creation, or such a notification without its record: a
  /// change and its notifications are one transaction.
  private static func strayNotification(_ laboratory: Laboratory, _ store: String) -> String? {
    func lines(_ words: [String], _ format: String) -> [Substring] {
      laboratory.answer(store, words + ["-f", format]).output.split(separator: "\n")
    }
    var expected: Set<Substring> = ["first"]
    for line in lines(["notification", "list", "--device", "pad"], "tsv").dropFirst() {
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
      if cells[2] == "created" { expected.insert(cells[4]) } else { expected.remove(cells[4]) }
    }
    let found = Set(lines(["record", "list", "Note", "-z", "Z"], "names"))
    return expected.symmetricDifference(found).sorted().first.map {
      "\($0) is \(found.contains($0) ? "there without a notification" : "not there")"
    }
  }

  /// Runs commands one by one until the process is killed; returns the number of acknowledged ones.
  private static func work(
    _ laboratory: Laboratory, _ store: String, _ round: Int, _ file: String, _ records: String,
    _ acknowledged: inout [String: Bool], _ random: inout SplitMix64
  ) throws -> Int {
    let child = laboratory.child(store, ["-z", "Z", "--keep-going"])
    try child.open()
    let delay = 2 + Int64(random.next() % 60)
    let process = child.process
    let killer = try Worker {
      Platform.sleep(milliseconds: delay)
      kill(process, SIGKILL)
    }
    var count = 0
    var index = 0
    // A parent is deleted only after its children.
    var parents: Set<String> = []
    var url = "ckdb://share/iCloud.org.example.app/none"
    while true {
      let name = "r\(round)-\(index)"
      let former = "r\(round)-\(index - 1 - Int(random.next() % 3))"
      index += 1
      // A command, and the command that afterwards succeeds, or no longer does.
      let (command, effect): (String, (String, Bool)?) =
        switch random.next() % 11 {
        case 0:
          ("record save Photo --name \(name) f@\(file) n:=\(index)", ("record fetch \(name)", true))
        case 1:
          (
            "record delete \(former)",
            parents.contains(former) ? nil : ("record fetch \(former)", false)
          )
        case 2: ("import Item \(records)", ("record fetch i399", true))
        case 3: ("store index build Note text tags", nil)
        case 4: ("zone create Z\(round)-\(index)", nil)
        case 5: ("store index drop Note", nil)
        case 6: ("share create \(former) --public write", ("share show \(former)", true))
        case 7: ("share accept \(url) -u bob", nil)
        case 8: ("record save Note --name \(name) --parent \(former)", nil)
        default:
          (
            "record save Note --name \(name) text='to do' tags:='[\"a\"]' n:=\(index)",
            ("record fetch \(name)", true)
          )
        }
      if command.contains("--parent") { parents.insert(former) }
      guard let answers = child.perform("\(command) -q") else {
        // The last command may be done or undone.
        if let effect { acknowledged[effect.0] = nil }
        if command.hasPrefix("record delete") {
          acknowledged["record fetch \(former)"] = nil
          acknowledged["share show \(former)"] = nil
        }
        break
      }
      count += 1
      guard let (question, isThere) = effect else {
        if command.hasPrefix("record delete") { acknowledged["record fetch \(former)"] = nil }
        continue
      }
      if !isThere { acknowledged["share show \(former)"] = nil }
      // A share prints its URL, unless it is refused.
      if question.hasPrefix("share") {
        guard let first = answers.first else { continue }
        url = first
      }
      acknowledged[question] = isThere
    }
    killer.join()
    _ = child.finish()
    return count
  }
}
