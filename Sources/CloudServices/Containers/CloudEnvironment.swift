internal import Basics
public import CloudModel
internal import PredicateLanguage
internal import RecordStore

/// An environment of a container: its schema, and the databases that share it.
public final class CloudEnvironment {
  /// The container.
  public let container: ContainerID
  /// Which environment it is.
  public let environment: Environment
  /// Time, chance and patience.
  public var conditions: Conditions
  /// How its container compares texts.
  var stringCompare = StringCompare.caseSensitive
  /// What a person should be told about what was made on the way; taken by the caller.
  public var notices: [Notice] = []
  let store: EnvironmentStore
  /// The store that it is part of, once it is.
  weak var owner: CloudStore?

  /// Something that came into being beside what was asked for.
  public enum Notice: Sendable, Equatable {
    /// An account that wrote for the first time.
    case newAccount(Account, UserRecordName)
    /// A record type that a save made, and one whose name is close to its own.
    case newType(RecordType, near: RecordType?)
    /// A field that a save made of a type that was there, and a field whose name is close to its
    /// own: it may be a slip.
    case newField(FieldName, RecordType, near: FieldName?)

    static func newType(_ type: RecordType, among types: [RecordType]) -> Notice {
      let near = Suggestion.nearest(to: type.text, among: types.lazy.map(\.text), slips: 1)
      return .newType(type, near: near.map { RecordType(stored: $0) })
    }

    static func newField(_ name: FieldName, of schema: RecordTypeSchema) -> Notice {
      let near = Suggestion.nearest(to: name.text, among: schema.fields.lazy.map(\.name.text))
      return .newField(name, schema.name, near: near.map { FieldName(stored: $0) })
    }
  }

  init(
    _ container: ContainerID, _ environment: Environment, _ store: EnvironmentStore,
    _ conditions: Conditions
  ) {
    self.container = container
    self.environment = environment
    self.store = store
    self.conditions = conditions
  }

  /// One of its databases as an account sees it; nil is nobody signed in.
  public func database(
    _ scope: DatabaseScope, _ account: Account?, _ status: AccountStatus = .available,
    on device: Device = .cli, quota: Int64? = nil
  ) -> CloudDatabase {
    CloudDatabase(
      environment: self, scope: scope, account: account, status: status, device: device,
      quota: quota)
  }

  /// What a predicate is given at a moment. Throws `StoreError`.
  func givens(
    for predicate: Predicate, at now: Timestamp
  ) throws(StoreError) -> PredicateBinder.Givens {
    var givens = PredicateBinder.Givens(
      now: now, seed: conditions.seed(at: now), stringCompare: stringCompare)
    if predicate.hasPaths {
      givens.targets = []
      for type in try store.types() {
        if let table = try store.table(type) { givens.targets?.append(table.schema) }
      }
    }
    return givens
  }

  /// Reads one unchanging state.
  func read<T>(_ work: () throws -> T) throws(CloudError) -> T {
    try serving {
      try store.beginRead()
      defer { store.endRead() }
      return try work()
    }
  }

  /// Writes all or nothing.
  func write<T>(_ work: () throws -> T) throws(CloudError) -> T {
    try serving {
      try store.beginWrite()
      return try committing(work)
    }
  }

  /// Writes all or nothing if that can be done at once; nil where somebody else writes.
  func writeIfFree<T>(_ work: () throws -> T) throws(CloudError) -> T? {
    try serving { try store.beginWriteIfFree() ? try committing(work) : nil }
  }

  private func committing<T>(_ work: () throws -> T) throws -> T {
    do {
      let result = try work()
      try store.commit()
      return result
    } catch {
      store.rollback()
      notices.removeAll()
      throw error
    }
  }

  /// Writes, and takes everything back: what would happen.
  func rehearse<T>(_ work: () throws -> T) throws(CloudError) -> T {
    try serving {
      try store.beginWrite()
      defer {
        store.rollback()
        notices.removeAll()
      }
      return try work()
    }
  }

  /// Forgets deletions, so that all change tokens expire, and gives free room back to the file
  /// system. Throws `CloudError`.
  public func compact() throws(CloudError) {
    try write { try store.forgetDeletions() }
    try serving { try store.vacuum() }
  }

  /// Copies the log into the database and empties it. Throws `CloudError`, `zoneBusy` while
  /// somebody reads what stands in the log.
  public func checkpoint() throws(CloudError) {
    guard try serving({ try store.checkpoint() }) else {
      var error = CloudError(.zoneBusy, "another process reads the log, which stays")
      error.storage = .busy(holder: nil)
      throw error
    }
  }

  /// Takes the notices, oldest first.
  public func takeNotices() -> [Notice] {
    defer { notices.removeAll() }
    return notices
  }
}
