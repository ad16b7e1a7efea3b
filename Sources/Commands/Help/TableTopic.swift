internal import CloudServices
internal import CommandKit

extension HelpTopic {
  /// The tables of a store, from their descriptions.
  static let tables = HelpTopic(
    "tables", "the tables of a store's databases",
    seeAlso: ["store", "files", "doctor"],
    text: """
      'sqlite3 -readonly' reads a store's databases. Names of ckdb's own begin with '_'. The \
      column 'seal' is a checksum of a row's other columns; records have theirs in '_checksum'. \
      Write through ckdb only: a row that another program changes no longer matches its \
      checksum, and 'ckdb doctor' reports it as damage.

      records.sqlite, format \(DatabaseDescription.records.version), has one more table for each \
      record type, with a column for each field; '_type' and '_field' name them. Its other tables:
      \(list(.records))

      ubiquity.sqlite, format \(DatabaseDescription.ubiquity.version), has the key-value store \
      and the documents of a container:
      \(list(.ubiquity))
      """)

  private static func list(_ database: DatabaseDescription) -> String {
    database.tables.map { table in
      let columns = table.columns.joined(separator: ", ")
      return "  " + "\(table.name)(\(columns))".wrapped(78, indent: 4)
        + "\n      " + table.summary.wrapped(78, indent: 6)
    }.joined(separator: "\n")
  }
}
