internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb cktool delete-record`
enum CKToolDeleteRecord {
  static let name = Option("record-name", nil, .record, "Name of the record")

  static var command: Command<Context> {
    Command(
      options: CKToolOptions.data + [AnyOption(name)],
      discussion: "Deletes a record by name. Asks for confirmation unless --yes is given.",
      examples: [
        .init(
          "Delete a record",
          "ckdb cktool delete-record --container-id iCloud.org.example.app --environment development --database-type public --record-name b1 --yes"
        )
      ]
    ) { arguments, context in
      let place = CKToolPlace(arguments, context)
      let database = try place.database()
      guard let name = arguments[name] else {
        throw CommandError("--record-name is missing", .usage)
      }
      try context.confirm("delete record \(name.text)")
      guard try database.delete(name, in: place.zone).isDeleted else {
        throw CloudError.recordNotFound(name)
      }
    }
  }
}
