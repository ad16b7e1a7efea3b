internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb document …`
enum DocumentNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("put", "Save a file as a document", verb: { DocumentPut.put }),
    CommandRow("get", "Print the contents of a document", verb: { DocumentGet.command }),
    CommandRow("list", "List the documents on a device", verb: { DocumentList.command }),
    CommandRow("find", "Find documents with a metadata query", verb: { DocumentFind.command }),
    CommandRow("status", "Show the status of a document", verb: { DocumentList.status }),
    CommandRow("move", "Move or rename documents", verb: { DocumentPlaces.move }),
    CommandRow("remove", "Delete documents", verb: { DocumentPlaces.remove }),
    CommandRow("restore", "Restore a deleted document", verb: { DocumentPlaces.restore }),
    CommandRow("take", "Move a document out of iCloud", verb: { DocumentPut.take }),
    CommandRow("download", "Download contents to a device", verb: { DocumentPlaces.download }),
    CommandRow("evict", "Remove contents from a device", verb: { DocumentPlaces.evict }),
    CommandRow("sync", "Exchange documents with iCloud", verb: { DocumentSync.command }),
    CommandRow("watch", "Print document events as they happen", verb: { DocumentEvents.watch }),
    CommandRow("versions", "List the versions of a document", verb: { DocumentVersions.command }),
    CommandRow(
      "conflicts", "List versions in conflict", verb: { DocumentVersions.conflicts }),
    CommandRow("resolve", "Resolve a conflict", verb: { DocumentVersions.resolve }),
    CommandRow("open", "Open a document", verb: { DocumentEditing.open }),
    CommandRow("change", "Change an open document", verb: { DocumentEditing.change }),
    CommandRow("save", "Save an open document", verb: { DocumentEditing.save }),
    CommandRow(
      "autosave", "Save an open document if it has changes", verb: { DocumentEditing.autosave }),
    CommandRow("edit", "Open, change, save and close", verb: { DocumentEditing.edit }),
    CommandRow(
      "revert", "Discard the changes of an open document", verb: { DocumentEditing.revert }),
    CommandRow("close", "Save and close an open document", verb: { DocumentEditing.close }),
    CommandRow("state", "Show the state of a document", verb: { DocumentEditing.state }),
    CommandRow(
      "mount", "Write the documents of a device as files", verb: { DocumentMounting.mount }),
    CommandRow(
      "scan", "Pick up changes made in a mounted folder", verb: { DocumentMounting.scan }),
    CommandRow("backup", "Write what a device's backup contains", verb: { DocumentBackup.command }),
    CommandRow("exclude", "Exclude documents from backups", verb: { DocumentBackup.exclude }),
    CommandRow("usage", "Show how much of the quota is used", verb: { DocumentSync.usage }),
    CommandRow("container", "Print the container's folder", verb: { DocumentSync.container }),
  ]

  static let groups = [
    CommandGroup(
      "Documents", ["put", "get", "list", "find", "status", "move", "remove", "restore", "take"]),
    CommandGroup("Transfer", ["download", "evict", "sync", "watch", "usage"]),
    CommandGroup("Versions", ["versions", "conflicts", "resolve"]),
    CommandGroup(
      "Editing",
      ["open", "change", "save", "autosave", "edit", "revert", "close", "state"]),
    CommandGroup("Files", ["container", "mount", "scan", "backup", "exclude"]),
  ]

  static let path = Operand("PATH", .documentPath, "Path of the document in the container")
  static let place = Operand(
    "PATH", .documentPath, "Path of a document, or of a folder with everything in it")

  /// The documents of the context's container on its device.
  static func open(_ context: Context) throws -> DocumentStore {
    try context.documentStore(context.containerID().id, in: context.store())
  }

  /// Syncs all online devices after a command if `--auto` applies.
  static func synchronizeIfWanted(_ store: DocumentStore, _ context: Context) throws {
    if KeyValueNoun.synchronizes(context) { _ = try store.synchronizeAll() }
  }
}

extension ValueKind where Value == DocumentPath {
  /// The path of a document in its container.
  static let documentPath = ValueKind<DocumentPath>(
    "PATH", candidates: .question("documents")
  ) { (word) throws(ValueError) in
    try checked { () throws(CloudError) in try DocumentPath(word) }
  }
}
