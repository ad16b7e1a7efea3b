package import CloudModel

/// How an import treats what it meets.
package struct ImportOptions: Sendable {
  /// The type of records that do not name theirs.
  package var type: RecordType?
  /// The zone of records that do not name theirs.
  package var zone = ZoneName.defaultZone
  /// What to do with a name that is there with other contents.
  package var policy = SavePolicy.unchanged
  /// Whether one fault takes everything back.
  package var isAtomic = true
  /// Whether missing custom zones are made.
  package var createsZones = true
  /// Whether a name that stands twice is a fault, as in CloudKit, instead of a warning.
  package var isStrict = false
  /// Whether a value that does not fit its field is left out instead of being a fault.
  package var dropsMismatches = false
  /// A directory of asset contents, named by their hashes.
  package var assetsDirectory: String?
  /// Whether everything is taken back in the end.
  package var isRehearsal = false

  /// The defaults of `cli.md` §5.
  package init() {}
}

/// What an import did.
package struct ImportSummary: Sendable, Equatable {
  /// Records that were not there before.
  package var created = 0
  /// Records that were there with other contents.
  package var changed = 0
  /// Records that were there already, equal.
  package var unchanged = 0
  /// Records that were left out because an earlier one of the import has their name, and other
  /// contents; and where the first of them stands.
  package var repeated = 0
  package var firstRepeated: TextPosition?
  /// Values that were left out because they did not fit.
  package var droppedValues = 0
  /// Zones that were made.
  package var createdZones = 0
  /// What could not be imported, in the order of the text.
  package var faults: [ImportFault] = []

  /// Nothing yet.
  package init() {}
}

/// A record that could not be imported.
package struct ImportFault: Sendable, Equatable {
  /// Why.
  package var error: CloudError
  /// Where it stands.
  package var position: TextPosition

  /// Puts a fault together.
  package init(_ error: CloudError, at position: TextPosition) {
    self.error = error
    self.position = position
  }
}
