internal import Basics
internal import SQLite

/// Keeps the copy of a database's catalog up to date.
///
/// New rows wait until they are a sixteenth of the copy, or until the process rests: the copy is
/// written whole, so that writing it for each new row would take quadratic time.
package struct CatalogKeeper {
  /// Whether the copy lacks a change that is not a new row.
  private var isStale = false
  /// How many new rows it lacks.
  private var addedRows = 0
  /// How many lines it had when this process wrote it; 0 if it did not.
  private var lines = 0
  /// Whether there is a copy; nil before that was looked up.
  private var hasCopy: Bool?

  /// Notes a change of the catalog.
  package mutating func change() { isStale = true }

  /// Notes a new row.
  package mutating func add() { addedRows += 1 }

  /// Whether new rows wait.
  var isWaiting: Bool { addedRows > 0 }

  /// Writes the copy after a commit if it is needed, or if there is none.
  mutating func update(_ file: DatabaseFile, _ connection: Connection) {
    let hasCopy = hasCopy ?? FileSystem.exists(file.catalogCopyPath)
    self.hasCopy = hasCopy
    let isBehind = addedRows > 0 && addedRows * 16 >= lines
    if isStale || !hasCopy || isBehind { write(file, connection) }
  }

  /// Writes the copy.
  mutating func write(_ file: DatabaseFile, _ connection: Connection) {
    if let lines = file.writeCatalogCopy(of: connection) { self.lines = lines }
    (isStale, addedRows, hasCopy) = (false, 0, true)
  }
}
