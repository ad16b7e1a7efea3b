internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb store info`
enum StoreInfo {
  static var command: Command<Context> {
    Command(
      discussion: """
        One row per container and environment: record types, records and zones; what the public \
        database counts towards the container's quota, and the private databases towards their \
        users' (values and asset contents); and the size of the files in bytes.
        """,
      examples: [.init("Describe the store as JSON", "ckdb store info --json")], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let store = try context.store()
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
}
