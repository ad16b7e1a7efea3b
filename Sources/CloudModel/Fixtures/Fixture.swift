/// The records of a store as written in text: one model for every notation (M7). Nothing has been
/// checked against a schema, and values are still text.
public struct Fixture: Sendable {
  /// The files that it was read from; positions refer to them by index.
  public var sources: [String] = []
  /// The container of the records; nil for the current one.
  public var container: Placed<ContainerID>?
  /// Schema files, as paths relative to the files that name them.
  public var schemas: [Placed<String>] = []
  /// The time at which the clock is fixed.
  public var clock: Placed<Timestamp>?
  /// The random seed.
  public var seed: Placed<UInt64>?
  /// Default values of records, by record type.
  public var defaults: [String: [FieldText]] = [:]
  /// The zones, in the order of the texts; a zone may occur several times.
  public var zones: [Zone] = []
  /// Its entries other than records.
  public var entries = FixtureEntries()
  /// How many records were shares, which are skipped: the key `shares` describes them.
  public var skippedShares = 0
  /// The faults of the texts, in their order.
  public var faults: [FixtureFault] = []

  /// An empty fixture.
  public init() {}

  /// Records of one zone.
  public struct Zone: Sendable {
    /// The database.
    public var scope: DatabaseScope
    /// The owner of the private database; nil for the account in use.
    public var account: Account?
    /// The zone.
    public var id: ZoneID
    /// Its position.
    public var position: TextPosition
    /// The records, in the order of the text.
    public var records: [Record] = []

    /// A zone without records.
    public init(
      _ id: ZoneID, in scope: DatabaseScope, of account: Account? = nil,
      at position: TextPosition
    ) {
      self.id = id
      (self.scope, self.account) = (scope, account)
      self.position = position
    }
  }

  /// A record.
  public struct Record: Sendable {
    /// The record's name: its label.
    public var name: String
    /// The record's type.
    public var type: String
    /// The parent's name, and its position.
    public var parent: Placed<String>?
    /// The values, in the order of the text.
    public var fields: [FieldText]
    /// The position of the record.
    public var position: TextPosition

    /// Creates a record.
    public init(
      name: String, type: String, parent: Placed<String>? = nil, fields: [FieldText],
      at position: TextPosition
    ) {
      self.name = name
      self.type = type
      self.parent = parent
      self.fields = fields
      self.position = position
    }
  }
}

/// A fault of a fixture, with its position.
public struct FixtureFault: Error, Sendable, Equatable {
  /// The error.
  public var error: CloudError
  /// The position.
  public var position: TextPosition

  /// Creates a fault.
  public init(_ error: CloudError, at position: TextPosition) {
    self.error = error
    self.position = position
  }

  /// A fault of the text itself.
  public init(_ message: String, at position: TextPosition, remedy: Remedy? = nil) {
    self.init(CloudError(.invalidArguments, message, remedy: remedy), at: position)
  }
}

/// A record of a fixture whose values have been read.
public struct FixtureRecord: Sendable {
  /// The record.
  public var draft: RecordDraft
  /// The position of the parent's name.
  public var parentPosition: TextPosition?
  /// The fields whose references may be dangling, according to the text.
  public var dangling: Set<FieldName> = []
  /// The conditions on fields instead of values, in a comparison.
  public var matchers: [(field: FieldName, matcher: FieldMatcher, position: TextPosition)] = []

  /// Creates a record with only its draft.
  public init(_ draft: RecordDraft) { self.draft = draft }

  /// Whether it has a parent or a reference.
  public var hasTargets: Bool {
    draft.parent != nil || draft.fields.contains { $0.value?.refers ?? false }
  }
}

/// The records of a zone of a fixture. Each is created from its text when it is visited, because
/// that many values would take several times the space of the text.
public struct FixtureRecords: Sequence {
  private var parts: [Part] = []

  private struct Part {
    let count: Int
    let make: (Int) -> FixtureRecord?
  }

  /// No records.
  public init() {}

  /// Adds records; `make` creates the record at an index, the same each time, or nil to omit it.
  public mutating func append(count: Int, _ make: @escaping (Int) -> FixtureRecord?) {
    parts.append(Part(count: count, make: make))
  }

  /// The maximum number of records.
  public var expectedCount: Int { parts.reduce(0) { $0 + $1.count } }

  /// Iterates over the records in the order of the texts.
  public func makeIterator() -> AnyIterator<FixtureRecord> {
    var (part, place) = (0, 0)
    return AnyIterator {
      while part < parts.count {
        while place < parts[part].count {
          place += 1
          if let record = parts[part].make(place - 1) { return record }
        }
        (part, place) = (part + 1, 0)
      }
      return nil
    }
  }
}

/// Records of one zone whose values have been read.
public struct FixtureZone {
  /// The database.
  public let scope: DatabaseScope
  /// The owner of the private database; nil for the account in use.
  public let account: Account?
  /// The zone.
  public let id: ZoneID
  /// The position of its first occurrence.
  public let position: TextPosition
  /// The records, in the order of the texts.
  public var records = FixtureRecords()
  /// The names of the records.
  public var labels: Set<String> = []
  /// Whether a record has a parent or a reference.
  public var hasTargets = false

  /// A zone without records.
  public init(
    _ id: ZoneID, in scope: DatabaseScope, of account: Account? = nil, at position: TextPosition
  ) {
    (self.scope, self.account) = (scope, account)
    self.id = id
    self.position = position
  }
}

/// The records of a fixture, created with the types of a schema.
public struct FixtureResolution {
  /// The zones, each once, in the order of the texts.
  public let zones: [FixtureZone]
  /// Its entries other than records.
  public let entries: FixtureEntries
  /// The faults of the texts and their values.
  public let faults: [FixtureFault]
  /// The sources of asset contents.
  public let assetSources: [Asset: AssetSource]
  /// Whether a value depends on the time of loading.
  public let usesNow: Bool
  private let places: [Database: [Int]]

  private struct Database: Hashable {
    let scope: DatabaseScope
    let account: Account?
  }

  /// The zones of a database, in the order of the texts; `account` is nil for the account in use.
  public func zones(in scope: DatabaseScope, of account: Account?) -> [FixtureZone] {
    (places[Database(scope: scope, account: account)] ?? []).map { zones[$0] }
  }

  /// Creates a resolution.
  public init(
    _ zones: [FixtureZone], _ entries: FixtureEntries, faults: [FixtureFault],
    assetSources: [Asset: AssetSource], usesNow: Bool
  ) {
    (self.zones, self.entries) = (zones, entries)
    self.faults = faults
    self.assetSources = assetSources
    self.usesNow = usesNow
    places = Dictionary(grouping: zones.indices) {
      Database(scope: zones[$0].scope, account: zones[$0].account)
    }
  }
}
