internal import Basics
public import CloudModel
internal import SQLite

/// The table of a record type and its columns.
public final class TypeTable {
  /// The number of the type in the catalog.
  let number: Int64
  /// The type's name and fields.
  public private(set) var schema: RecordTypeSchema
  /// The table's name, quoted.
  let table: String
  /// The table's name.
  let location: String
  /// The current columns of its fields.
  public private(set) var layout: TypeLayout
  /// The statements that write and read whole rows; prepared again when a field is added.
  var insertion: Statement?
  var update: Statement?
  var selection: Statement?
  /// The names of the physical indexes, once they were read.
  var indexNames: Set<String>? {
    didSet { keptIndexes = nil }
  }
  /// Those that writers maintain.
  var keptIndexes: [PhysicalIndex]?

  init(number: Int64, name: RecordType, location: String, columns: [FieldColumn]) {
    self.number = number
    self.location = location
    table = location.quotedIdentifier
    layout = TypeLayout(version: 0, columns: columns)
    schema = RecordTypeSchema(name: name, fields: columns.map(\.schema))
    hasAssets = columns.contains { $0.schema.type.base == .asset }
  }

  /// The columns of the fields, in the order of `schema.fields`.
  var columns: [FieldColumn] { layout.columns }
  /// Whether a field contains assets.
  private(set) var hasAssets = false
  /// Its asset fields.
  var assetFields: [FieldName] {
    columns.map(\.schema).filter { $0.type.base == .asset }.map(\.name)
  }
  /// Whether its table is not made yet; it will get all columns that were added until then.
  var isPending = false

  /// The place of a field among the columns.
  public func place(of name: FieldName) -> Int? { layout.place(of: name) }

  /// The field with a name.
  public func field(_ name: FieldName) -> FieldSchema? {
    layout.place(of: name).map { columns[$0].schema }
  }

  func column(_ key: String) -> FieldColumn? {
    layout.place(of: FieldName(key: key)).map { columns[$0] }
  }

  func set(_ columns: [FieldColumn]) {
    layout = TypeLayout(version: layout.version + 1, columns: columns)
    schema.fields = columns.map(\.schema)
    hasAssets = columns.contains { $0.schema.type.base == .asset }
    indexNames = nil
    forgetStatements()
  }

  func set(_ indexes: FieldIndexes, of key: SystemKey) {
    schema.systemIndexes[key] = indexes.isEmpty ? nil : indexes
  }

  func set(_ grants: Grants) { schema.grants = grants }

  func forgetStatements() {
    insertion = nil
    update = nil
    selection = nil
  }
}
