internal import RecordStore
internal import StoreFiles
internal import UbiquityStore

/// A database of a store, described for readers with other tools.
public struct DatabaseDescription: Sendable {
  /// The file's name.
  public let file: String
  /// The version of its format.
  public let version: UInt32
  /// The tables that every such database has.
  public let tables: [TableDescription]

  /// A table: its name, what a row is, and the names of its columns.
  public struct TableDescription: Sendable {
    /// The name.
    public let name: String
    /// What a row is, in one line.
    public let summary: String
    /// The names of the columns, the row's number first.
    public let columns: [String]
  }

  private init(_ format: DatabaseFormat) {
    file = format.name + ".sqlite"
    version = format.version
    tables = format.tables.map { table in
      TableDescription(
        name: table.name, summary: table.summary,
        columns: (table.numberColumn.map { [$0] } ?? []) + table.columns.map(\.name))
    }
  }

  /// The database of each environment.
  public static var records: DatabaseDescription { DatabaseDescription(.records) }

  /// The database of each container's key-value store and documents.
  public static var ubiquity: DatabaseDescription { DatabaseDescription(.ubiquity) }
}
