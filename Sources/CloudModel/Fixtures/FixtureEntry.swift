/// An entry of a fixture other than a record; each kind is a type.
///
/// A kind takes three files: its value, its JSON (`WrittenFixtureEntry`), and how a store loads and
/// returns it (`StoredFixtureEntry`).
public protocol FixtureEntry: Sendable, Equatable {
  /// What a comparison prints.
  var attributes: FixtureAttributes { get }
  /// What errors call it: `user 'ann'`. A fixture must not have two entries with the same label.
  var label: String { get }
}

/// The entries of a fixture, of all kinds.
public struct FixtureEntries: Sendable {
  /// The entries in the order of the texts.
  public private(set) var all: [Placed<any FixtureEntry>] = []

  /// No entries.
  public init() {}

  /// The entries of one kind, in the order of the texts.
  public subscript<Entry: FixtureEntry>(_ kind: Entry.Type) -> [Placed<Entry>] {
    all.compactMap { entry in
      (entry.value as? Entry).map { Placed($0, at: entry.position) }
    }
  }

  /// What a comparison prints of all entries.
  public var attributes: [FixtureAttributes] { all.map(\.value.attributes) }

  /// Whether there are none.
  public var isEmpty: Bool { all.isEmpty }

  /// Adds an entry.
  public mutating func append(_ entry: any FixtureEntry, at position: TextPosition) {
    all.append(Placed(entry, at: position))
  }

  /// The entries, each replaced by `transform`.
  public func mapped(
    _ transform: (any FixtureEntry, TextPosition) -> any FixtureEntry
  ) -> FixtureEntries {
    var mapped = FixtureEntries()
    for entry in all { mapped.append(transform(entry.value, entry.position), at: entry.position) }
    return mapped
  }
}

/// What a comparison of fixtures prints of an entry.
public struct FixtureAttributes: Sendable, Equatable {
  /// The database in reports.
  public var scope: DatabaseScope
  /// The zone in reports.
  public var zone: ZoneID
  /// The name in reports.
  public var name: RecordName
  /// The type in reports.
  public var type: RecordType
  /// The attributes, by their keys in a fixture.
  public var values: [(key: String, text: String)]

  /// Whether two are the same.
  public static func == (one: FixtureAttributes, other: FixtureAttributes) -> Bool {
    one.identity == other.identity
      && one.values.map { [$0.key, $0.text] } == other.values.map { [$0.key, $0.text] }
  }

  /// The identity: database, zone, name and type.
  public var identity: [String] { [scope.name, zone.text, name.text, type.text] }
}
