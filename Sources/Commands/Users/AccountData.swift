internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb account purge NAME`
enum AccountPurge {
  static let name = Operand("NAME", .account, "Name of an account")
  static let alsoPublic = Flag(
    "public", "Delete the public records that the account created, too")
  static let allContainers = Flag("all-containers", "Purge in all containers")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(name)], options: [AnyOption(alsoPublic), AnyOption(allContainers)],
      discussion: """
        Simulates a user who deletes the data of an app in the settings: in both environments of \
        the container, private zones are deleted with the reason purged, so that apps get \
        userDeletedZone (28), shares end, and shares of others are left. The keys of the key-value \
        store and the documents are deleted, too. Lists what is not in iCloud yet and what would \
        be deleted, and asks for confirmation.
        """,
      examples: [
        .init("Test how an app handles deleted data", "ckdb account purge anna --yes")
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let (account, store) = (arguments.required(name), try context.store())
    let isPublic = arguments[alsoPublic]
    let containers =
      try arguments[allContainers] ? store.containers() : [context.containerID().id]
    var environments: [CloudEnvironment] = []
    var texts: [String] = []
    for container in containers {
      for environment in CloudModel.Environment.allCases {
        let open = try context.environment(container, environment, in: store)
        var count = try open.personalData(of: account)
        if !isPublic { count.publicRecords = 0 }
        if count.isEmpty { continue }
        environments.append(open)
        texts.append("\(count.text) in \(container.text) \(environment.rawValue)")
      }
      let keys = Set(
        try store.keyValueData(of: account, in: container, for: context.request())
          .flatMap { $0.entries.map(\.key) })
      if !keys.isEmpty {
        texts.append(
          "\(keys.count.counted("key")) of the key-value store in \(container.text)")
      }
      let documents = try store.documentCount(of: account, in: container, for: context.request())
      if documents > 0 {
        texts.append("\(documents.counted("document")) in \(container.text)")
      }
    }
    guard !texts.isEmpty else {
      return context.report("account \(account.name) has no data")
    }
    for container in containers {
      context.report(
        try store.unsentWork(of: account, in: container, for: context.request()))
    }
    try context.confirm(
      "delete the data of \(account.name): \(texts.joined(separator: "; "))")
    for environment in environments { _ = try environment.purge(account, isPublic: isPublic) }
    for container in containers {
      try store.purgeUbiquity(of: account, in: container, for: context.request())
    }
    for text in texts { context.report("deleted \(text)") }
  }
}

extension PersonalDataCount {
  fileprivate var text: String {
    let parts = [
      (zones, "zone"), (records, "record"), (publicRecords, "public record"),
      (shares, "share of others"), (subscriptions, "subscription"),
      (notifications, "notification"),
    ]
    return parts.filter { $0.0 > 0 }.map { count, noun in
      noun.hasPrefix("share")
        ? "\(count) \(count == 1 ? "share" : "shares") of others"
        : count.counted(noun)
    }.joined(separator: ", ")
  }
}

/// `ckdb account delete NAME`
enum AccountDelete {
  static let name = Operand("NAME", .account, "Name of an account")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(name)],
      discussion: """
        Deletes an account with its names, addresses and contacts. An account that has data in a \
        container is refused: 'ckdb account purge' deletes that. Records in zones of other users \
        keep their creator.
        """,
      examples: [.init("Delete an account", "ckdb account delete anna")]
    ) { arguments, context in
      let (account, store) = (arguments.required(name), try context.store())
      guard try store.delete(account, for: context.request()) else {
        let known = try store.accounts(for: context.request()).map(\.name)
        throw CommandError(
          any: CloudError(
            .unknownItem, "no account '\(account.name)'",
            remedy: .nearest(to: account.name, among: known)))
      }
      context.report("deleted account \(account.name)")
    }
  }
}
