public import CloudModel

/// The options of an import.
public struct ImportOptions: Sendable {
  /// The default type of records.
  public var type: RecordType?
  /// The default zone of records.
  public var zone = ZoneID.defaultZone
  /// The save policy for existing records with other contents.
  public var policy = SavePolicy.unchanged
  /// Whether one fault rolls everything back.
  public var isAtomic = true
  /// Whether missing custom zones are created.
  public var createsZones = true
  /// Whether a duplicate name is a fault, as in CloudKit, instead of a warning.
  public var isStrict = false
  /// Whether two records of one name are a conflict; otherwise the first is kept.
  public var refusesDuplicates = false
  /// Whether a value that does not fit its field is dropped instead of being a fault.
  public var dropsMismatches = false
  /// Whether this loads a fixture: an existing record becomes exactly what the text says, and
  /// injected faults do not apply.
  public var isFixture = false
  /// A directory of asset contents, named by their hashes.
  public var assetsDirectory: String?
  /// Other sources of asset contents.
  public var assetSources: [Asset: AssetSource] = [:]
  /// Whether everything is rolled back at the end.
  public var isRehearsal = false

  /// The defaults (M5.5).
  public init() {}
}

/// The result of an import.
public struct ImportSummary: Sendable, Equatable {
  /// Records that did not exist before.
  public var created = 0
  /// Records that existed with other contents.
  public var changed = 0
  /// Records that existed with equal contents.
  public var unchanged = 0
  /// Records that were skipped because an earlier record of the import has the same name and other
  /// contents.
  public var skipped = 0
  /// The first skipped record.
  public var firstSkipped: SkippedRecord?
  /// Shares that were skipped: a record does not contain the participants.
  public var shares = 0
  /// Deletions of records that do not exist.
  public var gone = 0
  /// Values that were dropped because they did not fit.
  public var droppedValues = 0
  /// Zones that were created.
  public var createdZones = 0
  /// The records that could not be imported, in the order of the text.
  public var faults: [ImportFault] = []
  /// The notices of the import.
  public var notices: [Notice] = []

  /// An empty summary.
  public init() {}
}

/// A record that an import skipped because an earlier one has its name.
public struct SkippedRecord: Sendable, Equatable {
  /// The record's name.
  public var name: RecordName
  /// Its position.
  public var position: TextPosition
  /// The line of the earlier record.
  public var earlier: Int?
}

/// A record that could not be imported.
public struct ImportFault: Error, Equatable {
  /// The reason.
  public var error: CloudError
  /// Its position.
  public var position: TextPosition
  /// Whether the text is malformed, so that the rest cannot be read.
  public var isSyntax: Bool
  /// The record's name, if it could be read.
  public var name: String?
  /// The zone that the record names, if it could be read.
  public var zone: String?
  /// The missing record, if that is the reason.
  var target: RecordTarget?

  /// Creates a fault.
  public init(_ error: CloudError, at position: TextPosition, isSyntax: Bool = false) {
    self.error = error
    self.position = position
    self.isSyntax = isSyntax
  }

  init(_ missing: MissingTarget, at position: TextPosition) {
    self.init(missing.error, at: position)
    target = missing.target
  }
}
