internal import Basics
public import CloudModel
public import PredicateLanguage
internal import RecordStore

/// What a query is asked to give.
public struct QueryRequest {
  /// The type.
  public var type: RecordType
  /// Which records.
  public var predicate: Predicate
  /// In which order.
  public var sort: [SortKey] = []
  /// The zone; nil for all zones of the database (R7.4.1).
  public var zone: ZoneID?
  /// The fields to give; nil for all.
  public var keys: [FieldName]?
  /// At most so many records; nil for all.
  public var limit: Int?
  /// After which page; nil from the beginning.
  public var after: QueryCursor?
  /// Whether CloudKit would be asked the same, whose refusals count with `--strict`; not where a
  /// command of ours looks for the records that it works on.
  public var isForCloudKit = true
  /// Whether the order is the command's own, of which CloudKit would not be asked.
  public var isOrderOurs = false
  /// Indexes of keys that must be declared whether `--strict` or not, as cktool demands.
  public var requiredIndexes: [(key: String, indexes: FieldIndexes)] = []
  /// Whether it fails by faults that were requested.
  public var meetsFaults = true
  /// Called for each damaged record, which the query leaves out.
  public var damaged: DamageReport = { throw $0 }
  /// Whether the order matters; it is checked in any case.
  var isSorted = true
  /// Receives what CloudKit would refuse in the query (P3), before any record.
  public var report: ([Finding]) throws -> Void = { _ in }

  /// Puts a request together.
  public init(type: RecordType, predicate: Predicate) {
    self.type = type
    self.predicate = predicate
  }
}

extension CloudDatabase {
  /// Gives the matching records to `body` until it returns false. Where SQL answers the whole
  /// predicate, `view` gets views of them instead.
  ///
  /// Returns where the next page begins, nil when this was the last.
  public func query(
    _ request: QueryRequest, viewing view: ((RecordView) throws -> Bool)? = nil,
    _ body: (Record) throws -> Bool
  ) throws(CloudError) -> QueryCursor? {
    try requireReader()
    if request.meetsFaults { try strike(.query, [request.type], in: request.zone) }
    return try reading(request) { selection, approach in
      var given = 0
      var last: QueryPlace?
      var hasMore = false
      try store.select(
        selection, approach, asViews: view != nil,
        damaged: { try request.damaged(CloudError($0)) }
      ) { found, place in
        if given == request.limit {
          hasMore = true
          return false
        }
        given += 1
        if given == request.limit { last = place() }
        switch found {
        case .record(let record): return try body(record)
        case .view(let found): return try view?(found) ?? true
        }
      }
      guard hasMore, let last else { return nil }
      return QueryCursor(
        type: request.type, predicate: try bound(request, selection.table).text,
        sort: selection.sort,
        zone: request.zone, now: environment.request.now,
        origin: origin(of: request.zone), place: last)
    }
  }

  /// What CloudKit would refuse. Where records show themselves to their creators alone, the service
  /// asks for these, and wants that to be marked queryable (W5.1).
  func findings(
    _ request: QueryRequest, _ schema: RecordTypeSchema
  ) throws -> [Finding] {
    let findings = QueryChecker.findings(
      request.predicate, sort: request.isOrderOurs ? [] : request.sort, schema: schema)
    guard case .own = try permissions.visibility(of: schema.grants),
      schema.systemIndexes[.creatorUserRecordID]?.contains(.queryable) != true
    else { return findings }
    let creator = Finding(
      .queryable, nil, "Field 'createdBy' is not marked queryable",
      remedy: .declareIndex(
        schema.name, key: SystemKey.creatorUserRecordID.rawValue, .queryable))
    return findings + [creator]
  }

  /// How a query would be answered.
  public func plan(_ request: QueryRequest) throws(CloudError) -> QueryPlan {
    try requireReader()
    var built: [PhysicalIndex] = []
    var plan = try reading(request, noting: { built += $0 }) { selection, approach in
      var page = selection
      page.limit = request.limit
      return try store.plan(page, approach)
    }
    plan.built = built.map(\.title)
    return plan
  }

  /// How many records match, whatever the limit.
  public func count(_ request: QueryRequest) throws(CloudError) -> Int {
    try requireReader()
    if request.meetsFaults { try strike(.query, [request.type], in: request.zone) }
    var request = request
    request.isSorted = false
    return try reading(request) { try store.count($0, $1) }
  }

  /// Works on what a request selects, in one state; indexes that it wants are made before, if
  /// that can be done at once (DS4).
  private func reading<T>(
    _ request: QueryRequest, noting note: ([PhysicalIndex]) -> Void = { _ in },
    _ work: (RecordSelection, QueryApproach) throws -> T
  ) throws(CloudError) -> T {
    // An index may show that another one is wanted.
    var mayBuild = Self.mostBuilds
    while true {
      var missing: [PhysicalIndex] = []
      let result: T? = try environment.read {
        var selection = try selection(request)
        selection.sort = try store.naturalSort(of: selection)
        let approach = try store.approach(to: selection)
        missing = approach.missing
        if !missing.isEmpty, mayBuild > 0 { return nil }
        try request.report(try findings(request, selection.table.schema))
        return try work(selection, approach)
      }
      if let result { return result }
      mayBuild -= 1
      if try made(missing, request) { note(missing) } else { mayBuild = 0 }
    }
  }

  private static let mostBuilds = 2

  /// Makes indexes; false where that cannot be: the query does without them then.
  private func made(
    _ indexes: [PhysicalIndex], _ request: QueryRequest
  ) throws(CloudError) -> Bool {
    do {
      return try environment.build(indexes, of: request.type)
    } catch {
      if environment.request.interruption.isRaised { throw error }
      return false
    }
  }

  private func selection(_ request: QueryRequest) throws -> RecordSelection {
    if scope == .shared, request.zone == nil, environment.request.isStrict,
      request.isForCloudKit
    {
      throw CloudError(.invalidArguments, "SharedDB does not support Zone Wide queries")
    }
    let table = try environment.requireTable(request.type)
    var selection = try matching(request, table)
    for (key, indexes) in request.requiredIndexes { try table.schema.require(indexes, of: key) }
    for key in request.sort { try check(key, table.schema) }
    try requireAllowed(request, table)
    selection.zones = try zones(request.zone)
    if request.isSorted { selection.sort = request.sort }
    selection.audience = try audience(in: selection.zones)
    selection.after = request.after?.place
    // One more tells whether there is a next page.
    selection.limit = request.limit.map { min($0, .max - 1) + 1 }
    selection.keys = request.keys
    return selection
  }

  /// Whether the predicate of a request may be asked. Throws as a query does.
  func requireAllowed(_ request: QueryRequest, _ table: TypeTable) throws {
    try requireNothingHidden(request, table.schema)
    if let cursor = request.after { try check(cursor, request, table.schema) }
    if environment.request.isStrict, request.isForCloudKit, request.after == nil,
      let finding = try findings(request, table.schema).first(where: { $0.severity == .error })
    {
      throw CloudError(finding, of: request.predicate, in: environment.container)
    }
  }

  /// Which records of all zones match, of those that the account may read.
  func matching(_ request: QueryRequest, _ table: TypeTable) throws -> RecordSelection {
    if request.type == .users { throw CloudError.queryForUsers }
    var selection = RecordSelection(
      table: table, zones: [], predicate: try visible(bound(request, table), of: table.schema))
    // Here all texts are searched, in CloudKit only those of searchable fields (R7.2.3).
    if environment.request.isStrict, request.isForCloudKit {
      selection.searched = table.schema.fields.filter { $0.indexes.contains(.searchable) }
        .map(\.name)
    } else if table.schema.fields.contains(where: \.type.isEncrypted) {
      selection.searched = table.schema.fields.filter { !$0.type.isEncrypted }.map(\.name)
    }
    return selection
  }

  /// Nobody asks for what is encrypted, nor sorts by it (R13.3), also not where a path leads to
  /// records of another type, nor there for what he may not read. Throws `invalidArguments`,
  /// `permissionFailure`.
  private func requireNothingHidden(
    _ request: QueryRequest, _ schema: RecordTypeSchema
  ) throws {
    var keys = request.sort.map(\.key)
    var ends: [String] = []
    request.predicate.visit {
      if case .key(let key, _) = $0 { keys.append(key) }
      if case .path(_, let key, _) = $0 { ends.append(key) }
    }
    var asked = schema.fields.filter { $0.type.isEncrypted && keys.contains($0.name.key) }
    if !ends.isEmpty {
      let rules = permissions
      for case let table? in try store.types().map({ try store.table($0) }) {
        let isMet = ends.contains {
          table.field(FieldName(key: $0)) != nil || SystemKey($0) != nil
        }
        if isMet, try rules.visibility(of: table.schema.grants) != .all {
          throw rules.refusal("READ", table.schema)
        }
        asked += table.schema.fields.filter {
          $0.type.isEncrypted && ends.contains($0.name.key)
        }
      }
    }
    guard let field = asked.first else { return }
    let finding = QueryChecker.findings(request.predicate, schema: schema).first {
      $0.code == .encrypted && $0.key == field.name.text
    }
    if let finding {
      throw CloudError(finding, of: request.predicate, in: environment.container)
    }
    throw CloudError(
      .invalidArguments,
      "Field '\(field.name.text)' has a value type of \(field.type.valueTypeName) and cannot be "
        + "queried",
      serverCode: 2006, remedy: "store what you query in a plain field")
  }

  func bound(_ request: QueryRequest, _ table: TypeTable) throws -> Predicate {
    try PredicateBinder.bind(
      request.predicate, to: table.schema,
      try environment.givens(for: request.predicate, at: environment.request.now))
  }

  /// What is requested, of what the asking user may read: records of a type that shows them to
  /// their creators alone are filtered by these (R7.4.8). Throws `permissionFailure`.
  private func visible(_ predicate: Predicate, of schema: RecordTypeSchema) throws -> Predicate {
    let rules = permissions
    switch try rules.visibility(of: schema.grants) {
    case .all: return predicate
    case .none: throw rules.refusal("READ", schema)
    case .own(let name):
      let own = try PredicateParser.parse(
        "creatorUserRecordID == %@", arguments: [.text(name.text)])
      return .and([predicate, try PredicateBinder.bind(own, to: schema)], predicate.span)
    }
  }

  private func zones(_ zone: ZoneID?) throws -> [StoredZone] {
    guard let zone else { return try storedZones().filter { $0.zone.recordCount > 0 } }
    return try zoneToRead(zone).map { [$0] } ?? []
  }

  /// A cursor is one of this database, and its place has values of the fields as they are now.
  private func check(
    _ cursor: QueryCursor, _ request: QueryRequest, _ schema: RecordTypeSchema
  ) throws(CloudError) {
    guard cursor.origin == origin(of: request.zone) else {
      throw .misfit("it is from another database, or for another user")
    }
    for (key, value) in zip(request.sort, cursor.place.values) {
      guard let value, !Self.isOrdered(value, by: key, schema) else { continue }
      throw .misfit("field '\(key.key)' now has another type")
    }
  }

  /// Whether a value is one that a sort key has in a type.
  private static func isOrdered(
    _ value: FieldValue, by key: SortKey, _ schema: RecordTypeSchema
  ) -> Bool {
    switch (key.origin == nil ? key.valueType(in: schema) : .double, value) {
    case (.string?, .string), (.int64?, .int64), (.double?, .double), (.number?, .int64),
      (.number?, .double), (.timestamp?, .timestamp), (.reference?, .reference):
      true
    default: false
    }
  }

  /// A sort key must be a field that has an order (R7.3).
  private func check(_ key: SortKey, _ schema: RecordTypeSchema) throws(CloudError) {
    if SystemKey(key.key) != nil { return }
    guard let field = schema.field(key.key) else {
      throw .fieldNotFound(key.key, in: schema.name, among: schema.fields)
    }
    if field.type.isList || field.type.base == .asset || field.type.base == .bytes
      || field.type.base == .location && key.origin == nil
    {
      throw CloudError(
        .invalidArguments, "Field '\(key.key)' is not marked sortable", serverCode: 2015,
        remedy: field.type == FieldType(.location)
          ? .sortByDistance(from: key.key) : nil)
    }
    if key.origin != nil, field.type != FieldType(.location) {
      throw CloudError(.invalidArguments, "Field '\(key.key)' is not a location", serverCode: 2015)
    }
  }
}

extension SortKey {
  /// The type of the values that records are sorted by; change tags go by their numbers.
  fileprivate func valueType(in schema: RecordTypeSchema) -> FieldType.Base? {
    switch SystemKey(key) {
    case .changeTag?: .int64
    case let system?: system.type.base
    case nil: schema.field(key)?.type.base
    }
  }
}

extension CloudError {
  /// A cursor that a query cannot go on from.
  fileprivate static func misfit(_ reason: String) -> CloudError {
    CloudError(.invalidArguments, "The cursor does not match: \(reason)")
  }
}
