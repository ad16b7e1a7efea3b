internal import CSQLite

/// A failed call of SQLite: its code, its message and the statement; never a bound value.
public struct SQLiteError: Error, Sendable, Equatable {
  /// The extended result code.
  public let code: Int32
  /// SQLite's message.
  public let message: String
  /// The statement, if any.
  public let sql: String?
  /// The path of the database; empty where none was opened.
  public let path: String

  /// Creates an error.
  public init(code: Int32, message: String, sql: String? = nil, path: String = "") {
    (self.code, self.message, self.sql, self.path) = (code, message, sql, path)
  }

  /// The primary result code.
  public var primaryCode: Int32 { code & 0xFF }

  /// The kind of failure, if callers act on it.
  public var kind: Kind {
    switch primaryCode {
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    case SQLITE_FULL: .full
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .readOnly
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: .corrupt
    case SQLITE_CANTOPEN, SQLITE_NOMEM: .unavailable
    case SQLITE_IOERR: Self.failuresToOpen.contains(code >> 8) ? .unavailable : .inputOutput
    case SQLITE_INTERRUPT: .interrupted
    case SQLITE_TOOBIG: .tooBig
    case SQLITE_CONSTRAINT, SQLITE_MISMATCH: .constraint
    default: .other
    }
  }

  /// The extended codes of SQLITE_IOERR that concern no contents: FSTAT, RDLOCK, NOMEM, ACCESS,
  /// LOCK, and those of the -shm file.
  private static let failuresToOpen: Set<Int32> = [7, 9, 12, 13, 15, 18, 19, 20, 21]

  /// The kinds of failure that callers act on.
  public enum Kind: Sendable {
    case busy
    case full
    case readOnly
    case corrupt
    case inputOutput
    /// No memory, or a file that cannot be opened.
    case unavailable
    case interrupted
    case tooBig
    /// A row does not fit its table.
    case constraint
    case other
  }
}
