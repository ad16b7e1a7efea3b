internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb document sync`, `ckdb document usage` and `ckdb document container`
enum DocumentSync {
  private static let all = Flag(
    "all-devices", "Sync all devices of the account until all are up to date")
  private static let sameAll = Flag("all", "Same as --all-devices")
  private static let onlyMetadata = Flag(
    "upload-metadata-only", "Send names, dates and sizes of new documents, but not their contents")

  static var command: Command<Context> {
    Command(
      options: [AnyOption(all), AnyOption(sameAll), AnyOption(onlyMetadata)],
      discussion: """
        Sends what the device changed and receives what other devices changed. If two devices \
        saved a document without having seen each other's version, the later save by the devices' \
        clocks becomes current; the other becomes a version in conflict ('ckdb document conflicts').

        Prints one JSON object, with --all-devices one per device. If the device is offline, \
        nothing is transferred and the exit code is 1. It is 74 if a document exceeds the \
        account's quota and stays on its device.
        """,
      examples: [
        .init("Sync the phone", "ckdb document sync --device phone"),
        .init("Bring all devices up to date", "ckdb document sync --all-devices"),
      ]
    ) { arguments, context in
      let store = try DocumentNoun.open(context)
      let isForAll = arguments[all] || arguments[sameAll]
      if arguments[onlyMetadata], isForAll {
        throw CommandError("--upload-metadata-only cannot be used with --all-devices", .usage)
      }
      let results =
        try isForAll
        ? store.synchronizeAll()
        : [(store.request.device, store.synchronize(onlyMetadata: arguments[onlyMetadata]))]
      for (device, result) in results { write(result, of: isForAll ? device : nil, context) }
      if !results.allSatisfy(\.1.isSynchronized) { throw QuietExit(code: .no) }
      let failed = results.reduce(0) { $0 + $1.1.failed }
      if failed > 0 {
        throw CloudError(
          .quotaExceeded,
          "\(failed.counted("document")) would exceed the quota of the account, and "
            + "\(failed == 1 ? "stays on its" : "stay on their") device",
          remedy: .raiseQuota(isPublic: false))
      }
    }
  }

  private static func write(
    _ result: DocumentSynchronization, of device: Device?, _ context: Context
  ) {
    var members: [JSONMember] = []
    if let device { members.append(JSONMember("device", .string(device.name))) }
    members += [
      JSONMember("synchronized", .bool(result.isSynchronized)),
      JSONMember("sent", .int(Int64(result.sent))),
      JSONMember("received", .int(Int64(result.received))),
      JSONMember("conflicts", .int(Int64(result.conflicts))),
      JSONMember("failed", .int(Int64(result.failed))),
      JSONMember("bytesUploaded", .int(result.bytesUploaded)),
      JSONMember("bytesDownloaded", .int(result.bytesDownloaded)),
    ]
    context.output.buffer.append(json: .object(members))
    context.output.line("")
  }

  static var usage: Command<Context> {
    Command(
      discussion: """
        Shows how many documents the account has in iCloud, and how many bytes they take with all \
        their versions. Deleted documents do not count. 'ckdb account quota' sets the quota, which \
        records share.
        """,
      examples: [.init("Show the usage", "ckdb document usage")]
    ) { _, context in
      let usage = try DocumentNoun.open(context).usage()
      let output = try RowOutput(
        context, noun: "account", columns: ["documents", "bytes", "quota"])
      output.row([
        .int(Int64(usage.count)), .int(usage.bytes), usage.quota.map { .int($0) } ?? .null,
      ])
      output.finish()
    }
  }

  private static let id = Operand(
    "ID", .container, .optional, "Container (default: the one in use)")

  static var container: Command<Context> {
    Command(
      operands: [AnyOperand(id)],
      discussion: """
        Prints the folder where the device's container is mounted ('ckdb document mount'), or else \
        the path that it would have on a real device. Fails with iCloudUnavailable if no account \
        is signed in, just as url(forUbiquityContainerIdentifier:) returns nil.
        """,
      examples: [.init("Print the container's folder", "ckdb document container")]
    ) { arguments, context in
      let id = try arguments[id] ?? context.containerID().id
      let folder = try context.documentStore(id, in: context.store()).folder()
      guard try context.settings.chosenFormat() != nil else {
        return context.output.line(folder)
      }
      let output = try RowOutput(context, noun: "container", columns: ["folder", "container"])
      output.row([.string(folder), .string(id.text)])
      output.finish()
    }
  }
}
