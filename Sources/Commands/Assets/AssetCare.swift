internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb asset verify`
enum AssetVerify {
  static var command: Command<Context> {
    Command(
      discussion: """
        Reads the contents of every asset of the environment and compares them with their \
        hashes. Those that are missing or damaged are listed, and the exit code is 1.
        """,
      examples: [.init("Check all contents", "ckdb asset verify")]
    ) { _, context in
      let (checked, damaged) = try context.environment().damagedAssets()
      let output = try RowOutput(context, noun: "asset", columns: ["sha256", "size"])
      for asset in damaged { output.row([.string(asset.sha256), .int(asset.size)]) }
      output.finish()
      context.report(
        "\(checked.counted("asset")) checked, \(damaged.count) missing or damaged")
      if !damaged.isEmpty { throw QuietExit(code: .no) }
    }
  }
}

/// `ckdb asset gc`
enum AssetGC {
  static var command: Command<Context> {
    Command(
      discussion: """
        Contents go with the last record that has them. What interrupted and failed commands \
        left behind, and what was being read then, goes now; contents that any record of the \
        environment holds are kept.
        """,
      examples: [.init("Free what nobody holds", "ckdb asset gc")]
    ) { _, context in
      let (count, bytes) = try context.environment().collectAssets()
      context.report("removed \(count.counted("file")), \(bytes) bytes")
    }
  }
}
