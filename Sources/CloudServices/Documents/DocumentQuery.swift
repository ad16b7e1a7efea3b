internal import Basics
public import CloudModel
internal import PredicateLanguage
internal import UbiquityStore

/// A metadata query of documents (`NSMetadataQuery`).
public struct DocumentQuery {
  private let evaluator: PredicateEvaluator
  private let scopes: [DocumentScope]
  private let container: ContainerID
  /// The attributes that the predicate names, in the byte order of the names.
  private let attributes: [(name: FieldName, attribute: DocumentAttribute)]

  /// Prepares a predicate. Throws `PredicateError` for one that asks for something that documents
  /// do not have.
  public init(
    _ predicate: Predicate, in scopes: [DocumentScope], of container: ContainerID, now: Timestamp
  ) throws {
    (self.scopes, self.container) = (scopes, container)
    let bound = try PredicateBinder.bind(
      predicate, to: Self.schema, PredicateBinder.Givens(now: now))
    evaluator = PredicateEvaluator(bound)
    var used: Set<String> = []
    bound.visit { expression in
      if case .key(let key, _) = expression { used.insert(key) }
    }
    attributes = Self.attributes.filter { used.contains($0.name.text) }
  }

  /// Whether a document matches. Throws `PredicateError` for values that cannot be compared.
  public func matches(_ item: DocumentItem) throws -> Bool {
    guard scopes.contains(item.path.scope) else { return false }
    var record = Record(
      name: RecordName(stored: item.path.text), type: Self.schema.name, zone: .defaultZone)
    record.fields = RecordFields(
      sorted: attributes.compactMap { name, attribute in
        attribute.value(of: item, in: container).map { RecordFields.Entry(name, $0) }
      })
    return try evaluator.matches(record)
  }

  private static let attributes = DocumentAttribute.allCases.flatMap { attribute in
    attribute.names.map { (name: FieldName(stored: $0), attribute: attribute) }
  }.sorted { utf8Precedes($0.name.text, $1.name.text) }

  private static let schema = RecordTypeSchema(
    name: RecordType(stored: "Document"),
    fields: attributes.map { FieldSchema(name: $0.name, type: $0.attribute.type, indexes: []) })
}

extension DocumentStore {
  /// The documents on the device that match a query, in byte order of their paths. What never
  /// leaves the device is not among them. Throws `PredicateError` and `CloudError`.
  public func find(_ query: DocumentQuery) throws -> [DocumentItem] {
    var found: [DocumentItem] = []
    var failure: (any Error)?
    _ = try read { store, replica in
      let facts = try DocumentFacts(store, replica)
      try store.forEachItem(of: replica) { row in
        guard failure == nil, !row.changes.contains(.removal), !row.path.isLocal else { return }
        let item = facts.item(row)
        do { if try query.matches(item) { found.append(item) } } catch { failure = error }
      }
    }
    if let failure { throw failure }
    return found.sorted { utf8Precedes($0.path.text, $1.path.text) }
  }
}

/// A metadata query that goes on: the documents that are there, and then what changes.
public final class LiveDocumentQuery {
  /// What changed since the last time, each in byte order of the paths.
  public struct Update {
    /// Documents that match now and did not before.
    public var added: [DocumentItem] = []
    /// Documents that match as before, and have changed; also their paths.
    public var changed: [DocumentItem] = []
    /// Documents that do not match any more.
    public var removed: [DocumentItem] = []

    /// Whether nothing changed.
    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }
  }

  private let documents: DocumentStore
  private let query: DocumentQuery
  private let watch: UbiquityWatch
  private var known: [Int64: DocumentItem] = [:]

  /// Begins; `gather` has the first results. Throws `CloudError`.
  public init(_ query: DocumentQuery, of documents: DocumentStore) throws(CloudError) {
    (self.query, self.documents) = (query, documents)
    watch = try UbiquityWatch(documents)
  }

  /// The documents that match now.
  public func gather() throws -> [DocumentItem] {
    let found = try documents.find(query)
    known = Dictionary(uniqueKeysWithValues: found.map { ($0.number, $0) })
    return found
  }

  /// Gives updates to `body` until it returns false; changes that follow each other by less than
  /// `batch` milliseconds are one. False when a time has come before. Throws as
  /// `DocumentWatch.next`.
  public func next(
    until end: Int64?, batch: Int64, _ body: (Update) throws -> Bool
  ) throws -> Bool {
    var hasWaited = false
    return try documents.request.follow(until: end) {
      if hasWaited, batch > 0 { Platform.sleep(milliseconds: batch) }
      let update = try update()
      return update.isEmpty ? [] : [update]
    } wait: {
      try watch.wait($0)
      hasWaited = true
    } _: { update in
      hasWaited = false
      return try body(update)
    }
  }

  private func update() throws -> Update {
    var update = Update()
    var rest = known
    for item in try documents.find(query) {
      guard let old = rest.removeValue(forKey: item.number) else {
        update.added.append(item)
        continue
      }
      if old != item { update.changed.append(item) }
    }
    update.removed = rest.values.sorted { utf8Precedes($0.path.text, $1.path.text) }
    for item in update.added + update.changed { known[item.number] = item }
    for item in update.removed { known[item.number] = nil }
    return update
  }
}
