internal import Basics
internal import CloudServices
internal import CommandKit

/// The version that `ckdb --version` prints.
enum Version {
  static let number = ProgramVersion.number
  static var text: String { "ckdb \(number) (SQLite \(CloudStore.sqliteVersion))" }
}

/// `ckdb version`
enum VersionCommand {
  static var command: Command<Context> {
    Command(
      discussion: "With a JSON format it prints the versions as an object.",
      examples: [.init("Print the version", "ckdb version")]
    ) { _, context in
      guard context.settings.explicitFormat?.isJSON == true else {
        return context.output.line(Version.text)
      }
      context.output.buffer.append(
        json: .object([
          JSONMember("version", .string(Version.number)),
          JSONMember("sqlite", .string(CloudStore.sqliteVersion)),
          JSONMember("format", .string(CloudStore.format)),
        ]))
      context.output.line("")
    }
  }
}
