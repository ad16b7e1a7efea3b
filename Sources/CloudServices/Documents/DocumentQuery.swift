internal import Basics
public import CloudModel
internal import PredicateLanguage
internal import UbiquityStore

/// A metadata query of documents (`NSMetadataQuery`).
public struct DocumentQuery {
  private let evaluator: PredicateEvaluator
  private let scopes: [DocumentScope]
  /// Text that every matching path contains, unless the path has characters other than ASCII.
  let literal: [UInt8]?
  private let container: ContainerID
  /// The folder of the container.
  private let folder: String
  /// The attributes that the predicate uses, in byte order of their names.
  private let attributes: [(name: FieldName, attribute: DocumentAttribute)]

  /// Prepares a predicate on the documents of a store. Throws `PredicateError` if it uses
  /// attributes that documents do not have.
  public init(
    _ predicate: Predicate, in scopes: [DocumentScope], of documents: DocumentStore
  ) throws {
    (self.scopes, container, folder) = (scopes, documents.container, try documents.folder())
    let bound = try PredicateBinder.bind(
      predicate.namingStatuses, to: Self.schema,
      PredicateBinder.Givens(now: documents.request.now))
    evaluator = PredicateEvaluator(bound)
    literal = bound.requiredLiteral
    var used: Set<String> = []
    bound.visit { expression in
      if case .key(let key, _) = expression { used.insert(key) }
    }
    attributes = Self.attributes.filter { used.contains($0.name.text) }
  }

  /// Whether the path alone decides which documents match.
  var isAboutPaths: Bool { attributes.allSatisfy { $0.attribute.isAboutPath } }

  /// Whether a document matches. Throws `PredicateError` for values that cannot be compared.
  func matches(_ item: DocumentItem) throws -> Bool {
    try matches(item.path) { $0.value(of: item, in: folder, of: container) }
  }

  /// Whether a path matches, for a query that depends only on paths.
  func matches(_ path: DocumentPath) throws -> Bool {
    try matches(path) { $0.value(of: path, in: folder) }
  }

  private func matches(
    _ path: DocumentPath, _ value: (DocumentAttribute) -> FieldValue?
  ) throws -> Bool {
    guard scopes.count > 1 || scopes.contains(path.scope) else { return false }
    var record = Self.record
    record.fields = RecordFields(
      sorted: attributes.compactMap { name, attribute in
        value(attribute).map { RecordFields.Entry(name, $0) }
      })
    return try evaluator.matches(record)
  }

  private static let record = Record(
    name: RecordName(stored: ""), type: schema.name, zone: .defaultZone)

  private static let attributes = DocumentAttribute.allCases.flatMap { attribute in
    attribute.names.map { (name: FieldName(stored: $0), attribute: attribute) }
  }.sorted { utf8Precedes($0.name.text, $1.name.text) }

  private static let schema = RecordTypeSchema(
    name: RecordType(stored: "Document"),
    fields: attributes.map { FieldSchema(name: $0.name, type: $0.attribute.type, indexes: []) })
}

extension DocumentStore {
  /// The documents on the device that match a query, without local-only ones, in byte order of
  /// their paths. Throws `PredicateError` and `CloudError`.
  public func find(_ query: DocumentQuery) throws -> [DocumentItem] {
    var found: [DocumentItem] = []
    var failure: (any Error)?
    func trying(_ work: () throws -> Void) {
      guard failure == nil else { return }
      do { try work() } catch { failure = error }
    }
    _ = try read { store, replica in
      let facts = try DocumentFacts(store, replica)
      guard query.isAboutPaths else {
        for row in try store.items(of: replica) where !row.changes.contains(.removal) {
          let item = facts.item(row)
          trying { if try query.matches(item) { found.append(item) } }
        }
        return
      }
      var rows: [Int64] = []
      try store.forEachPath(of: replica, containing: query.literal) { row, path in
        trying { if try query.matches(path) { rows.append(row) } }
      }
      found = try rows.compactMap { try store.item($0) }.map(facts.item)
    }
    if let failure { throw failure }
    return found.filter { !$0.isLocal }
  }
}

/// A live metadata query: the matching documents, and then their changes.
public final class LiveDocumentQuery {
  /// The changes since the last update, each in byte order of the paths.
  public struct Update {
    /// Documents that match now and did not before.
    public var added: [DocumentItem] = []
    /// Documents that still match and have changed, or moved.
    public var changed: [DocumentItem] = []
    /// Documents that no longer match.
    public var removed: [DocumentItem] = []

    /// Whether nothing changed.
    public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }
  }

  private let documents: DocumentStore
  private let query: DocumentQuery
  private let watch: UbiquityWatch
  private var known: [Int64: DocumentItem] = [:]

  /// Begins watching; `gather` returns the first results.
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

  /// Passes updates to `body` until it returns false; changes less than `batch` milliseconds apart
  /// are combined. Returns false when the time `end` passes first. Throws as `DocumentWatch.next`.
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
