internal import Basics
internal import CloudServices
internal import CommandKit

/// What `ckdb --version` says.
enum Version {
  static let number = "0.1.0"
  static var text: String { "ckdb \(number) (SQLite \(CloudStore.sqliteVersion))" }
}

/// `ckdb version`
enum VersionCommand {
  static var command: Command<Context> {
    Command(examples: [.init("Print the version", "ckdb version")]) { _, context in
      context.output.line(Version.text)
    }
  }
}
