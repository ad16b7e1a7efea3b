internal import CommandKit

/// `ckdb record …`
enum RecordNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("save", "Save a record", verb: { RecordSave.command }),
    CommandRow("fetch", "Fetch records by name", verb: { RecordFetch.command }),
    CommandRow("delete", "Delete records", verb: { RecordDelete.command }),
    CommandRow("list", "List the records of a zone in name order", verb: { RecordList.command }),
    CommandRow("tree", "Show the records below a record", verb: { RecordTree.command }),
  ]
}
