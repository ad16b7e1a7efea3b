internal import Basics
internal import Glibc

/// A program that reacts to a file as soon as a mount has written it: its save, its rename, its
/// removal is a change of its own, which the next scan finds (issue 53).
enum MountRaces {
  static let experiment = Experiment(name: "mount-races", run: run)

  private static let rounds = 25

  private enum Reaction: CaseIterable {
    case save, saveByRename, remove

    func run(_ file: String) throws {
      switch self {
      case .save: try FileHandle(open: file, O_WRONLY | O_TRUNC).writeAll(Array("edited".utf8))
      case .saveByRename: try FileSystem.replace(file, with: Array("edited".utf8))
      case .remove: try FileSystem.remove(file)
      }
    }
  }

  private static func run(_ laboratory: Laboratory, _ findings: Findings) throws -> String {
    let device = ["--device", "phone"]
    let store = try laboratory.store([["device", "add", "phone"]])
    let large = try laboratory.file("large", [UInt8](repeating: 1, count: 8 << 20))
    let folder = "\(laboratory.work)/mount"
    let file = "\(folder)/Documents/a"
    var runs = 0
    for reaction in Reaction.allCases {
      for round in 0..<rounds {
        runs += 1
        // A large file takes so long to remove that the program is done before the mount is.
        for words in [["put", large, "Documents/a"], ["mount", folder]] {
          try laboratory.must(store, ["document"] + words + device)
        }
        let small = try laboratory.file("small", Array("round \(round)".utf8))
        try laboratory.must(store, ["document", "put", small, "Documents/a"] + device)
        let before = FileSystem.status(of: file)?.st_ino
        let end = Platform.monotonicMilliseconds + 5000
        let program = try Worker {
          while FileSystem.status(of: file)?.st_ino == before, Platform.monotonicMilliseconds < end
          {
            sched_yield()
          }
          try? reaction.run(file)
        }
        let mount = try laboratory.child(store, ["document", "mount", folder] + device).run()
        program.join()
        if mount.code != 0 { findings.add("\(reaction): mount ended with \(mount.code)") }
        try laboratory.must(store, ["document", "scan", folder] + device)
        let answer = laboratory.answer(store, ["document", "get", "Documents/a"] + device)
        let isRight =
          reaction == .remove ? answer.code == 1 : answer.code == 0 && answer.output == "edited"
        if !isRight {
          findings.add("\(reaction), round \(round): \(answer.code) '\(answer.output.prefix(20))'")
        }
      }
    }
    return "\(runs) reactions, \(findings.count) lost"
  }
}
