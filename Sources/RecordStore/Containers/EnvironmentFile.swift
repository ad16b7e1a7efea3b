internal import SQLite
public import StoreFiles

/// The database file of one environment, with the contents of its assets next to it.
typealias EnvironmentFile = DatabaseFile

extension EnvironmentFile {
  init(folder: String) { self.init(folder: folder, format: .records) }
}

extension DatabaseFormat {
  /// The database of an environment.
  public static let records = DatabaseFormat(
    name: "records", applicationID: Migrations.applicationID, version: Migrations.version,
    oldest: Migrations.oldest, lastSequence: EnvironmentStore.lastSequence,
    tables: EnvironmentTables.all,
    catalog: EnvironmentTables.catalog,
    fill: { (connection, sequence) throws(StoreError) in
      try Migrations.fill(connection, after: sequence)
    },
    finish: { (connection, version) throws(StoreError) in
      try Migrations.finish(connection, version)
    },
    advance: { (connection, sequence) throws(StoreError) in
      try EnvironmentFile.skip(to: sequence, on: connection)
    })
}

extension DatabaseKind {
  /// The databases of environments.
  public static let records = DatabaseKind(
    .records, doctor: { Doctor(EnvironmentStore.self, $0, patience: $1, $2) },
    lastNumbers: \.lastKnownNumbers,
    resume: { (copy, last) throws(StoreError) in try copy.beginIncarnation(after: last) })
}
