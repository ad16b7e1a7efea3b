internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb asset verify`
enum AssetVerify {
  static var command: Command<Context> {
    Command(
      discussion: """
        Reads the contents of every asset in the environment and compares them with their hashes. \
        Lists missing and damaged contents; the exit code is then 1.
        """,
      examples: [.init("Check all contents", "ckdb asset verify")]
    ) { _, context in
      let (checked, damaged) = try context.showingProgress("verify assets") { progress in
        try context.environment().damagedAssets(progress.meter)
      }
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
        Contents are deleted with the last record that uses them. This command deletes what \
        interrupted or failed commands left behind, and contents that were being read at the time. \
        It keeps contents used by a record in the environment or a document in the container.
        """,
      examples: [.init("Delete unused contents", "ckdb asset gc")]
    ) { _, context in
      let (count, bytes) = try context.showingProgress("collect assets") { _ in
        let environment = try context.environment()
        let ofRecords = try environment.collectAssets()
        let ofDocuments = try context.store().collectDocumentContents(
          in: environment.container, for: context.request())
        return (ofRecords.count + ofDocuments.count, ofRecords.bytes + ofDocuments.bytes)
      }
      context.report("removed \(count.counted("file")), \(bytes) bytes")
    }
  }
}
