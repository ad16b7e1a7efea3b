internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb store info`
enum StoreInfo {
  private static let users = Flag("users", "One row per user of each environment")

  static var command: Command<Context> {
    Command(
      options: [AnyOption(users)],
      discussion: """
        One row per container and environment: record types, records and zones; what the public \
        database counts towards the container's quota, and the private databases towards their \
        users' (values and asset contents); and the size of the files in bytes. With --users, one \
        row per user with a private database: its zones, records and bytes.
        """,
      examples: [
        .init("Describe the store as JSON", "ckdb store info --json"),
        .init("See what each user has", "ckdb store info --users"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let store = try context.store()
    if arguments[users] { return try showUsers(store, context) }
    let output = try RowOutput(
      context, noun: "environment",
      columns: [
        "container", "environment", "types", "zones", "records", "publicBytes", "privateBytes",
        "databaseBytes", "assets", "assetBytes",
      ])
    for id in try store.containers() {
      for environment in CloudModel.Environment.allCases {
        let open = try context.environment(id, environment, in: store)
        let size = try open.size()
        output.row([
          .string(id.text), .string(environment.rawValue), .int(size.types), .int(size.zones),
          .int(size.records), .int(size.publicBytes), .int(size.privateBytes),
          .int(size.databaseBytes), .int(size.assets), .int(size.assetBytes),
        ])
      }
    }
    output.finish()
    context.report("store: \(store.path)")
  }

  private static func showUsers(_ store: CloudStore, _ context: Context) throws {
    let output = try RowOutput(
      context, noun: "user",
      columns: [
        "container", "environment", "account", "userRecordName", "zones", "records", "bytes",
      ])
    let accounts = try store.accounts(for: context.request())
    for id in try store.containers() {
      for environment in CloudModel.Environment.allCases {
        let open = try context.environment(id, environment, in: store)
        for account in accounts {
          guard let size = try open.size(of: account) else { continue }
          output.row([
            .string(id.text), .string(environment.rawValue), .string(account.name),
            .string(open.userRecordName(account).text), .int(size.zones), .int(size.records),
            .int(size.bytes),
          ])
        }
      }
    }
    output.finish()
  }
}
