internal import Basics
public import CloudModel
public import PredicateLanguage
internal import RecordStore

/// A query of records.
public struct QueryRequest {
  /// The type.
  public var type: RecordType
  /// The predicate.
  public var predicate: Predicate
  /// The sort keys.
  public var sort: [SortKey] = []
  /// The zone; nil for all zones of the database (R7.4.1).
  public var zone: ZoneID?
  /// The fields to return; nil for all.
  public var keys: [FieldName]?
  /// The maximum number of records; nil for all.
  public var limit: Int?
  /// The page that it continues after; nil from the beginning.
  public var after: QueryCursor?
  /// Whether the query would be sent to CloudKit, so that `--strict` applies; false if a command
  /// looks up the records it works on.
  public var isForCloudKit = true
  /// Whether the order is the command's own, and not part of CloudKit's query.
  public var isOrderOurs = false
  /// Indexes of keys that must be declared even without `--strict`, as cktool demands.
  public var requiredIndexes: [(key: String, indexes: FieldIndexes)] = []
  /// Whether injected faults apply.
  public var meetsFaults = true
  /// Called for each damaged record, which the query leaves out.
  public var damaged: DamageReport = { throw $0 }
  /// Whether the order matters; it is checked in any case.
  var isSorted = true
  /// Receives what CloudKit would refuse in the query (P3), before any record.
  public var report: ([Finding]) throws -> Void = { _ in }

  /// Creates a request.
  public init(type: RecordType, predicate: Predicate) {
    self.type = type
    self.predicate = predicate
  }
}

extension CloudDatabase {
  /// Passes the matching records to `body` until it returns false; if SQL evaluates the whole
  /// predicate, passes views of them to `view` instead.
  ///
  /// Returns the cursor of the next page; nil after the last page.
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

  /// The findings that CloudKit would report. If only creators may read their records, the service
  /// queries by creator, and requires that field to be queryable (W5.1).
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

  /// The plan of a query.
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

  /// The number of matching records, ignoring the limit.
  public func count(_ request: QueryRequest) throws(CloudError) -> Int {
    try requireReader()
    if request.meetsFaults { try strike(.query, [request.type], in: request.zone) }
    var request = request
    request.isSorted = false
    return try reading(request) { try store.count($0, $1) }
  }

  /// Runs `work` on a request's selection, in one consistent state. Missing indexes are built first
  /// if the write lock is free (DS4).
  private func reading<T>(
    _ request: QueryRequest, noting note: ([PhysicalIndex]) -> Void = { _ in },
    _ work: (RecordSelection, QueryApproach) throws -> T
  ) throws(CloudError) -> T {
    // One index may reveal that another is wanted.
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

  /// Builds indexes; returns false if that fails, and the query goes on without them.
  private func made(
    _ indexes: [PhysicalIndex], _ request: QueryRequest
  ) throws(CloudError) -> Bool {
    do {
      return try environment.build(indexes, of: request.type)
    } catch {
      if environment.request.patience.interruption.isRaised { throw error }
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
    // One more record shows whether there is a next page.
    selection.limit = request.limit.map { min($0, .max - 1) + 1 }
    selection.keys = request.keys
    return selection
  }

  /// Checks that the predicate of a request is allowed. Throws as a query does.
  func requireAllowed(_ request: QueryRequest, _ table: TypeTable) throws {
    try requireNothingHidden(request, table.schema)
    if let cursor = request.after { try check(cursor, request, table.schema) }
    if environment.request.isStrict, request.isForCloudKit, request.after == nil,
      let finding = try findings(request, table.schema).first(where: { $0.severity == .error })
    {
      throw CloudError(finding, of: request.predicate, in: environment.container)
    }
  }

  /// The matching records of all zones that the account may read.
  func matching(_ request: QueryRequest, _ table: TypeTable) throws -> RecordSelection {
    if request.type == .users { throw CloudError.queryForUsers }
    var selection = RecordSelection(
      table: table, zones: [], predicate: try visible(bound(request, table), of: table.schema))
    // All texts are searched here, in CloudKit only those of searchable fields (R7.2.3).
    if environment.request.isStrict, request.isForCloudKit {
      selection.searched = table.schema.fields.filter { $0.indexes.contains(.searchable) }
        .map(\.name)
    } else if table.schema.fields.contains(where: \.type.isEncrypted) {
      selection.searched = table.schema.fields.filter { !$0.type.isEncrypted }.map(\.name)
    }
    return selection
  }

  /// Rejects queries and sorts by encrypted fields (R13.3), also where a path leads to records of
  /// another type, and paths to types that the user may not read. Throws `invalidArguments`,
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

  /// Limits a predicate to the records that the user may read: if a type is readable only by
  /// creators, to those that the user created (R7.4.8). Throws `permissionFailure`.
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

  /// Checks that a cursor is from this database and its values still fit the fields.
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

  /// Whether a value can be a value of a sort key in a type.
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

  /// Checks that a sort key is a field that has an order (R7.3).
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
  /// The type of the values to sort by; change tags sort by their numbers.
  fileprivate func valueType(in schema: RecordTypeSchema) -> FieldType.Base? {
    switch SystemKey(key) {
    case .changeTag?: .int64
    case let system?: system.type.base
    case nil: schema.field(key)?.type.base
    }
  }
}

extension CloudError {
  /// The error for a cursor that a query cannot continue.
  fileprivate static func misfit(_ reason: String) -> CloudError {
    CloudError(.invalidArguments, "The cursor does not match: \(reason)")
  }
}
