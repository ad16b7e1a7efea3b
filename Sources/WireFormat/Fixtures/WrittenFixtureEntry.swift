internal import Basics
internal import CloudModel

/// A kind of fixture entries, as JSON.
protocol WrittenFixtureEntry: FixtureEntry {
  /// The key of a fixture that has the entries of this kind: an object if they have names, else a
  /// list.
  static var key: String { get }
  /// The name of the entry; nil for a kind without names.
  var name: String? { get }
  /// Whether entries have names.
  static var isNamed: Bool { get }
  /// Reads an entry; the name is empty for a kind without names.
  init(_ name: String, _ json: JSONValue) throws(CloudError)
  /// Makes the file names relative to a folder.
  mutating func resolveFiles(in folder: String)
  /// The entry as JSON; `source` returns how the bytes of files are written. Rethrows its errors.
  func json(_ source: FixtureWriter.AssetText) throws -> JSONValue
}

extension WrittenFixtureEntry {
  static var isNamed: Bool { true }
  mutating func resolveFiles(in folder: String) {}

  /// The entry with file names relative to a folder.
  func resolved(in folder: String) -> Self {
    var entry = self
    entry.resolveFiles(in: folder)
    return entry
  }
}

extension FixtureEntries {
  /// The kinds, in the order in which they are written.
  static let written: [any WrittenFixtureEntry.Type] = [
    FixtureUser.self, FixtureDevice.self, FixtureShare.self, FixtureSubscription.self,
    FixtureKeyValues.self, FixtureDocuments.self,
  ]
}
