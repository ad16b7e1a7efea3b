public import CloudModel

/// How an import treats what it meets.
public struct ImportOptions: Sendable {
  /// The type of records that do not name theirs.
  public var type: RecordType?
  /// The zone of records that do not name theirs.
  public var zone = ZoneID.defaultZone
  /// What to do with a name that is there with other contents.
  public var policy = SavePolicy.unchanged
  /// Whether one fault takes everything back.
  public var isAtomic = true
  /// Whether missing custom zones are made.
  public var createsZones = true
  /// Whether a name that appears twice is a fault, as in CloudKit, instead of a warning.
  public var isStrict = false
  /// Whether two records of one name are a conflict; else the first is kept.
  public var refusesDuplicates = false
  /// Whether a value that does not fit its field is left out instead of being a fault.
  public var dropsMismatches = false
  /// Whether this is the load of a fixture: a record that is there becomes what the text says,
  /// without what it leaves out, and faults that were requested do not count.
  public var isFixture = false
  /// A directory of asset contents, named by their hashes.
  public var assetsDirectory: String?
  /// Where other contents of assets come from.
  public var assetSources: [Asset: AssetSource] = [:]
  /// Whether everything is taken back in the end.
  public var isRehearsal = false

  /// The defaults (M5.5).
  public init() {}
}

/// What an import did.
public struct ImportSummary: Sendable, Equatable {
  /// Records that were not there before.
  public var created = 0
  /// Records that were there with other contents.
  public var changed = 0
  /// Records that were there already, equal.
  public var unchanged = 0
  /// Records that were skipped because an earlier one of the import has their name, and other
  /// contents.
  public var skipped = 0
  /// The first of them.
  public var firstSkipped: SkippedRecord?
  /// Shares that were skipped: a record cannot tell who takes part.
  public var shares = 0
  /// Values that were left out because they did not fit.
  public var droppedValues = 0
  /// Zones that were made.
  public var createdZones = 0
  /// What could not be imported, in the order of the text.
  public var faults: [ImportFault] = []
  /// The notices of the import.
  public var notices: [Notice] = []

  /// Nothing yet.
  public init() {}
}

/// A record that an import skipped: an earlier one has its name.
public struct SkippedRecord: Sendable, Equatable {
  /// The record's name.
  public var name: RecordName
  /// Where it is.
  public var position: TextPosition
  /// The line of the earlier record.
  public var earlier: Int?
}

/// A record that could not be imported.
public struct ImportFault: Error, Equatable {
  /// Why.
  public var error: CloudError
  /// Where it is.
  public var position: TextPosition
  /// Whether the text is not of its format, so that what follows cannot be told.
  public var isSyntax: Bool
  /// What the record is called, as far as it could be read.
  public var name: String?
  /// The zone that the record names, as far as it could be read.
  public var zone: String?
  /// The record that is missing, where that is the reason.
  var target: RecordTarget?

  /// Puts a fault together.
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
