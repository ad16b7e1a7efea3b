internal import Basics
internal import CloudModel
internal import RecordStore
internal import StoreHome

/// Loads the entries of a fixture other than records, within a write transaction.
struct FixtureEntryLoading {
  let mode: FixtureLoad.Mode
  let environment: CloudEnvironment
  private let given: FixtureEntries
  /// The people of the store after the load.
  var people: StorePeople
  private(set) var faults: [FixtureFault] = []
  var summary = FixtureSummary()
  private var directory: ShareDirectory?

  init(
    _ given: FixtureEntries, into environment: CloudEnvironment, _ mode: FixtureLoad.Mode
  ) throws {
    (self.given, self.environment, self.mode) = (given, environment, mode)
    people = try environment.owner.people()
  }

  /// Loads what records may need.
  mutating func beforeRecords() throws {
    try forEach { entry, loading in try entry.loadBeforeRecords(&loading) }
  }

  /// Loads what needs records.
  mutating func afterRecords(_ transaction: WriteTransaction) throws {
    try forEach { entry, loading in try entry.loadAfterRecords(&loading, transaction) }
  }

  /// The accounts as an owner of shares sees them; shares of one owner have one directory, since it
  /// hashes every account.
  mutating func directory(in environment: CloudEnvironment) throws -> ShareDirectory {
    if let directory, directory.environment.request.account == environment.request.account {
      return directory
    }
    let directory = try ShareDirectory(environment, people: people)
    self.directory = directory
    return directory
  }

  /// Runs `work` for each entry, kind by kind; an error of an entry is a fault of the fixture.
  private mutating func forEach(
    _ work: (any StoredFixtureEntry, inout Self) throws -> Void
  ) throws {
    for kind in FixtureEntries.stored {
      for entry in given.stored where type(of: entry.value) == kind {
        do { try work(entry.value, &self) } catch let error as CloudError where error.storage == nil
        {
          faults.append(FixtureFault(error, at: entry.position))
        }
      }
    }
  }
}
