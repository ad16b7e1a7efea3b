internal import Basics
internal import CloudModel
internal import RecordStore

/// What an import has done so far. The rollback of a record, or of a group of records, puts an
/// earlier copy back.
struct ImportState {
  /// The results.
  var summary = ImportSummary()
  /// The types of fields that this import created, and where they were decided.
  var decisions: [String: [FieldName: (type: FieldType, position: TextPosition)]] = [:]
  /// The types that were created: all their fields are new.
  var madeTypes: Set<RecordType> = []
  /// The number of record names that were made.
  var madeNames = 0
  /// The existing records that occurred, by their numbers, with their source lines.
  var met = GrowingMap<Int64, UInt32>()
  /// The records saved in the shared database.
  var saved = GrowingList<(zone: StoredZone, name: RecordName)>()
  /// The parents of the saved records.
  var parents = GrowingList<(zone: ZoneID, name: RecordName)>()
  /// Assets whose contents were copied into the store.
  var brought = GrowingList<Asset>()
  /// Assets whose contents must still be copied into the store, in the order of the text.
  var assetsToBring = GrowingMap<Asset, Void>()
}
