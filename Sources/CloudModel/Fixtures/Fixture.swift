/// Records that are to be in a store, as texts tell them: one model in every notation
/// (M7). Nothing has been checked against a schema, and values are still texts.
public struct Fixture: Sendable {
  /// The files that it was read from; positions name them by their place here.
  public var sources: [String] = []
  /// The container that the records are for; nil for the current one.
  public var container: Placed<ContainerID>?
  /// Schema files, as paths relative to the files that name them.
  public var schemas: [Placed<String>] = []
  /// The moment at which the clock is frozen.
  public var clock: Placed<Timestamp>?
  /// What chance is taken from.
  public var seed: Placed<UInt64>?
  /// The values of records that do not have them, by record type.
  public var defaults: [String: [FieldText]] = [:]
  /// The zones, in the order of the texts; one zone may occur several times.
  public var zones: [Zone] = []
  /// Accounts, devices and shares.
  public var people = FixturePeople()
  /// How many shares were among the records: the key `shares` describes them.
  public var skippedShares = 0
  /// What is wrong with the texts, in their order.
  public var faults: [FixtureFault] = []

  /// An empty fixture.
  public init() {}

  /// Records of one zone.
  public struct Zone: Sendable {
    /// The database.
    public var scope: DatabaseScope
    /// Whose private database it is; nil for that of the account in use.
    public var account: Account?
    /// Which zone it is.
    public var id: ZoneID
    /// Where it is.
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
    /// The parent's name, and where it is.
    public var parent: Placed<String>?
    /// The values, in the order of the text.
    public var fields: [FieldText]
    /// Where the record begins.
    public var position: TextPosition

    /// Puts a record together.
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

/// Something that is wrong with a fixture, and where.
public struct FixtureFault: Error, Sendable, Equatable {
  /// What is wrong.
  public var error: CloudError
  /// Where.
  public var position: TextPosition

  /// Puts a fault together.
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
  /// Where the parent's name is.
  public var parentPosition: TextPosition?
  /// The fields whose references may lead nowhere, as the text says.
  public var dangling: Set<FieldName> = []
  /// What is asked of fields instead of a value, in a comparison.
  public var matchers: [(field: FieldName, matcher: FieldMatcher, position: TextPosition)] = []

  /// A record without more than its draft.
  public init(_ draft: RecordDraft) { self.draft = draft }

  /// Whether it has a parent or a reference.
  public var hasTargets: Bool {
    draft.parent != nil || draft.fields.contains { $0.value?.refers ?? false }
  }
}

/// The records of a zone of a fixture. Each is made of its text whenever it is come to: so many
/// values take several times the room of what they are made of.
public struct FixtureRecords: Sequence {
  private var parts: [Part] = []

  private struct Part {
    let count: Int
    let make: (Int) -> FixtureRecord?
  }

  /// No records.
  public init() {}

  /// Adds some; `make` makes the record of a place, the same each time, or nil to leave it out.
  public mutating func append(count: Int, _ make: @escaping (Int) -> FixtureRecord?) {
    parts.append(Part(count: count, make: make))
  }

  /// How many there are, at most.
  public var expectedCount: Int { parts.reduce(0) { $0 + $1.count } }

  /// Goes through the records in the order of the texts.
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
  /// Whose private database it is; nil for that of the account in use.
  public let account: Account?
  /// Which zone it is.
  public let id: ZoneID
  /// Where it occurs first.
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

/// The records of a fixture as the types of a schema make them.
public struct FixtureResolution {
  /// The zones, each once, in the order of the texts.
  public let zones: [FixtureZone]
  /// Accounts, devices and shares.
  public let people: FixturePeople
  /// What is wrong with the texts and their values.
  public let faults: [FixtureFault]
  /// Where the contents of assets come from.
  public let assetSources: [Asset: AssetSource]
  /// Whether a value depends on the time of loading.
  public let usesNow: Bool

  /// Puts it together.
  public init(
    _ zones: [FixtureZone], _ people: FixturePeople, faults: [FixtureFault],
    assetSources: [Asset: AssetSource], usesNow: Bool
  ) {
    (self.zones, self.people) = (zones, people)
    self.faults = faults
    self.assetSources = assetSources
    self.usesNow = usesNow
  }
}
