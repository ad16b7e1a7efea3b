/// Something that a look at a store found.
public struct StoreFinding: Sendable, Equatable {
  /// What kind of thing it is.
  public let code: Code
  /// What it is about: a file, a table, a zone, a record.
  public let subject: String
  /// What is wrong with it, as a sentence without its end.
  public let detail: String
  /// What can be done about it, where a repair is not enough.
  public let remedy: Remedy?

  /// Puts a finding together.
  public init(_ code: Code, _ subject: String, _ detail: String, remedy: Remedy? = nil) {
    self.code = code
    self.subject = subject
    self.detail = detail
    self.remedy = remedy
  }

  /// How bad it is.
  public enum Severity: String, Sendable {
    /// No harm: something was left, or is not ours.
    case notice
    /// Everything can be made as it should be.
    case repairable
    /// Something is lost, or may be.
    case damage
  }

  /// The kinds of things that are found.
  public enum Code: String, Sendable, CaseIterable {
    // What is lost, or may be.
    /// The database cannot be opened.
    case database
    /// A page of the database is not what it should be, or cannot be read.
    case page
    /// A table is not the one that we would make.
    case table
    /// A row of our own tables is not what was written.
    case row
    /// A record is not what was written.
    case record
    /// A name leads to a record that is not there.
    case lostRecord = "lost-record"
    /// A zone has not the records that it counts.
    case zone
    /// A sequence number was given twice, or exceeds the last one.
    case sequence
    /// A record is deleted and there at once.
    case tombstone
    /// The last changes are missing.
    case lostChanges = "lost-changes"
    /// The contents of an asset are missing or not what their hash says.
    case asset
    /// The store's settings cannot be read.
    case settings
    /// A snapshot is not what was saved.
    case snapshot

    // What can be made anew from the rest.
    /// A record's name does not lead to it.
    case name
    /// The table of links between records does not say what they say.
    case links
    /// The uses of assets' contents are counted wrongly.
    case uses
    /// A zone's bytes are counted wrongly.
    case bytes
    /// An index has not what the records have.
    case index
    /// A trigger, a view or an index that is not ours.
    case object
    /// Others than the owner may read or write.
    case mode
    /// A folder or a file that a store has is missing.
    case structure

    // What does no harm.
    /// Contents of assets that no record has.
    case orphan
    /// What an interrupted command left.
    case leftover
    /// A copy of before an upgrade, or files of before a repair.
    case backup
    /// A file or a table that is not ours.
    case stranger
    /// The SQLite library has a fault that programs without our lock can meet.
    case library

    /// How bad things of this kind are.
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
