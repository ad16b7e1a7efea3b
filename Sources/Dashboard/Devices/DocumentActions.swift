#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// The actions on documents of devices.
  enum DocumentActions {
    static let all = [put, sync, resolve, download, evict, remove]

    /// The maximum size of an uploaded document, which is held in memory.
    private static let mostBytes: Int64 = 64 << 20

    static let put = Action(
      name: "document-put", summary: "Save a document on a device", verb: "document put"
    ) { request in
      let side = try DeviceSide(request, on: request.form.text("on"))
      let documents = try documents(side)
      let path = try path(request)
      if let file = request.form.files("file").first {
        guard file.size <= mostBytes else {
          throw CloudError(
            .invalidArguments, "The file has more than \(ValueText.size(mostBytes))",
            remedy: "save it with 'ckdb document put'")
        }
        let bytes = try FileSystem.contents(of: file.open())
        try documents.put(bytes, at: path)
        return request.done(
          "Saved \(path.text) on \(side.device.name)",
          line: side.line(["document", "put"], [file.operand, path.text]))
      }
      // Browsers send the line ends of texts as CRLF.
      let text = (request.form["text"] ?? "").replacingUTF8("\r\n", with: "\n")
      try documents.put(Array(text.utf8), at: path)
      return request.done(
        "Saved \(path.text) on \(side.device.name)",
        line: text.utf8.contains(0)
          ? nil
          : "printf %s \(text.shellWord) | \(side.line(["document", "put"], ["-", path.text]))")
    }

    static let sync = Action(
      name: "document-sync", summary: "Sync the documents of devices", verb: "document sync"
    ) { request in
      let side = try DeviceSide(request)
      let documents = try documents(side)
      guard request.form["all"] == nil else {
        let results = try documents.synchronizeAll()
        return request.done(
          results.allSatisfy(\.1.isSynchronized)
            ? "Synced all devices" : "Not all devices could sync",
          notes: results.map { "\($0.0.name): \(words($0.1))" },
          line: side.line(["document", "sync", "--all-devices"]))
      }
      let result = try documents.synchronize(onlyMetadata: false)
      return request.done(
        "\(side.device.name): \(words(result))", line: side.line(["document", "sync"]))
    }

    static let resolve = Action(
      name: "document-resolve", summary: "Decide a conflict of a document",
      verb: "document resolve"
    ) { request in
      let side = try DeviceSide(request)
      let documents = try documents(side)
      let path = try path(request)
      let keep = request.form["keep"] ?? ""
      let choice: DocumentStore.Choice =
        keep == "current" ? .current : keep == "both" ? .all : .version(keep)
      let count = try documents.resolve(path, choice)
      return request.done(
        count == 0 ? "\(path.text) was resolved already" : "Resolved \(path.text)",
        notes: ["Other devices learn it with their next sync"],
        line: side.line(["document", "resolve", "--keep", keep], [path.text]))
    }

    static let download = Action(
      name: "document-download", summary: "Download a document to a device",
      verb: "document download"
    ) { request in try step(request, "Downloaded", "download") { try $0.download($1) } }

    static let evict = Action(
      name: "document-evict", summary: "Remove the local copy of a document",
      verb: "document evict"
    ) { request in try step(request, "Evicted", "evict") { try $0.evict($1) } }

    static let remove = Action(
      name: "document-remove", summary: "Delete a document on a device", verb: "document remove"
    ) { request in try step(request, "Removed", "remove") { _ = try $0.remove($1) } }

    // MARK: Parts

    private static func documents(_ side: DeviceSide) throws(CloudError) -> DocumentStore {
      try side.open.store.documentStore(side.open.place.container, for: side.request)
    }

    private static func path(_ request: ActionRequest) throws(CloudError) -> DocumentPath {
      try DocumentPath((request.form["path"] ?? "").trimmed)
    }

    private static func step(
      _ request: ActionRequest, _ done: String, _ verb: String,
      _ work: (DocumentStore, DocumentPath) throws -> Void
    ) throws -> ActionResult {
      let side = try DeviceSide(request)
      let path = try path(request)
      try work(documents(side), path)
      return request.done(
        "\(done) \(path.text) on \(side.device.name)",
        line: side.line(["document", verb], [path.text]))
    }

    private static func words(_ result: DocumentSynchronization) -> String {
      guard result.isSynchronized else { return "cannot sync now" }
      let parts =
        ["\(result.sent) sent", "\(result.received) received"]
        + (result.conflicts > 0 ? [result.conflicts.counted("conflict")] : [])
        + (result.failed > 0 ? ["\(result.failed) over the quota"] : [])
      return parts.joined(separator: ", ")
    }
  }
#endif
