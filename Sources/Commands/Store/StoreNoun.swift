internal import CommandKit

/// `ckdb store …`
enum StoreNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("info", "Show what the store contains", verb: { StoreInfo.command }),
    CommandRow(
      "index", "List, build and drop physical indexes", verb: { StoreIndex.command }),
    CommandRow(
      "doctor", "Check the store for damage", verb: { StoreDoctor.command("store doctor") }),
    CommandRow("backup", "Copy the whole store", verb: { StoreBackup.command }),
    CommandRow(
      "checkpoint", "Empty the write-ahead log", verb: { StoreCheckpoint.command }),
    CommandRow(
      "compact", "Forget deletions and reclaim their space", verb: { StoreCompact.command }),
  ]
}
