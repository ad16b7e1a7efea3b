/// A finding of a check of a store.
public struct StoreFinding: Sendable, Equatable {
  /// The kind of finding.
  public let code: Code
  /// The subject: a file, a table, a zone, a record.
  public let subject: String
  /// What is wrong, without a final period.
  public let detail: String
  /// The remedy, if a repair is not enough.
  public let remedy: Remedy?

  /// Creates a finding.
  public init(_ code: Code, _ subject: String, _ detail: String, remedy: Remedy? = nil) {
    self.code = code
    self.subject = subject
    self.detail = detail
    self.remedy = remedy
  }

  /// How serious a finding is.
  public enum Severity: String, Sendable {
    /// Harmless: something was left over, or is not ours.
    case notice
    /// A repair can restore everything.
    case repairable
    /// Data is lost, or may be.
    case damage
  }

  /// The kinds of findings.
  public enum Code: String, Sendable, CaseIterable {
    // Data is lost, or may be.
    /// The database cannot be opened.
    case database
    /// A page of the database is damaged or unreadable.
    case page
    /// A table differs from the one that we create.
    case table
    /// A row of our own tables is damaged.
    case row
    /// A record is damaged.
    case record
    /// A name refers to a missing record.
    case lostRecord = "lost-record"
    /// A zone does not contain as many records as it counts.
    case zone
    /// A sequence number was used twice, or exceeds the last one.
    case sequence
    /// A record is both deleted and present.
    case tombstone
    /// The last changes are missing.
    case lostChanges = "lost-changes"
    /// The contents of an asset are missing or do not match their hash.
    case asset
    /// The store's settings cannot be read.
    case settings
    /// A snapshot is damaged.
    case snapshot

    // A repair can rebuild these.
    /// A record's name does not refer to it.
    case name
    /// The table of links does not match the links of the records.
    case links
    /// The reference counts of asset contents are wrong.
    case uses
    /// A zone's byte count is wrong.
    case bytes
    /// An index does not match the records.
    case index
    /// A trigger, a view or an index that is not ours.
    case object
    /// Other users may read or write the files.
    case mode
    /// A folder or file of the store is missing.
    case structure

    // Harmless.
    /// Asset contents that no record references.
    case orphan
    /// Files of an interrupted command.
    case leftover
    /// A copy from before an upgrade, or files from before a repair.
    case backup
    /// A file or a table that is not ours.
    case stranger
    /// The SQLite library has a bug that affects programs without our lock.
    case library

    /// How serious findings of this kind are.
    public var severity: Severity {
      switch self {
      case .database, .page, .table, .row, .record, .lostRecord, .zone, .sequence, .tombstone,
        .lostChanges, .asset, .settings, .snapshot:
        .damage
      case .name, .links, .uses, .bytes, .index, .object, .mode, .structure: .repairable
      case .orphan, .leftover, .backup, .stranger, .library: .notice
      }
    }
  }
}
