public import CloudModel
internal import RecordStore
internal import StoreFiles

/// The result of fetching one name.
public enum FetchResult: Sendable {
  case record(Record)
  case failure(CloudError)

  /// Returns the record. Throws the failure.
  public func get() throws(CloudError) -> Record {
    switch self {
    case .record(let record): return record
    case .failure(let error): throw error
    }
  }
}

/// Called with an error for each damaged record that a read leaves out, and for a zone with missing
/// records. Throws to end the read.
public typealias DamageReport = (CloudError) throws -> Void

extension CloudDatabase {
  /// Returns records by name, in the given order; a missing one has its item's `unknownItem`
  /// (R4.4.13). `keys` limits the fields (R4.4.12).
  public func fetch(
    _ names: [RecordName], in id: ZoneID, keys: [FieldName]? = nil
  ) throws(CloudError) -> [FetchResult] {
    try requireReader()
    try strike(.fetch, in: id)
    let results: [FetchResult] = try environment.read {
      let zone = try zoneToRead(id)
      return try names.map { name in
        guard let zone = usersZone(holding: name, in: id) ?? zone else {
          return .failure(.recordNotFound(name))
        }
        do {
          guard let stored = try record(name, in: zone, keys: keys) else {
            return .failure(.recordNotFound(name))
          }
          try permissions.requireRead(stored)
          return .record(stored.record)
        } catch let error as CloudError where error.storage == nil {
          return .failure(error)
        } catch let error as StoreError where error.isDamageOfPart {
          return .failure(CloudError(error))
        }
      }
    }
    for case .record(let record) in results { try strike(.fetch, [record.type], in: id) }
    return try failed(results, names, in: id)
  }

  /// The results with the failures of single records by injected faults.
  private func failed(
    _ results: [FetchResult], _ names: [RecordName], in zone: ZoneID
  ) throws(CloudError) -> [FetchResult] {
    guard try environment.owner.faults().contains(where: \.isForItems) else { return results }
    var results = results
    for (index, name) in names.enumerated() {
      let types =
        if case .record(let record) = results[index] { [record.type] } else { [] as [RecordType] }
      if let failure = try failure(of: name, index + 1, in: .fetch, types, in: zone) {
        results[index] = .failure(failure.error)
      }
    }
    return results
  }

  /// The zones in which the user can read a record of a name. Meets no faults and needs no network:
  /// only hints use it, after an operation that met them.
  public func zones(holding name: RecordName) throws(CloudError) -> [ZoneID] {
    func canRead(_ zone: StoredZone) throws -> Bool {
      guard let stored = try record(name, in: zone, keys: []) else { return false }
      return try permissions.mayRead(stored)
    }
    return try environment.read {
      if let zone = usersZone(holding: name, in: .defaultZone) {
        return try canRead(zone) ? [.defaultZone] : []
      }
      return try storedZones().filter(canRead).map(\.zone.id)
    }
  }

  /// Whether the user can read a record of a type, in a zone or in all; for hints, as above. Reads
  /// no records of the private database.
  public func hasRecords(of type: RecordType, in id: ZoneID?) throws(CloudError) -> Bool {
    guard scope == .private else {
      var request = QueryRequest(type: type, predicate: .constant(true, 0..<0))
      (request.zone, request.limit, request.keys) = (id, 1, [])
      (request.isForCloudKit, request.meetsFaults) = (false, false)
      var hasRecords = false
      _ = try withoutNetwork().query(request) { _ in
        hasRecords = true
        return false
      }
      return hasRecords
    }
    return try environment.read {
      guard let table = try store.table(type) else { return false }
      let zones = try id.map { try zoneToRead($0).map { [$0] } ?? [] } ?? storedZones()
      return zones.contains { store.hasRecords(of: table, in: $0) }
    }
  }

  /// Passes all records of a zone in name order, of one type or of all, to `body` until it returns
  /// false. Throws `unknownItem` for an unknown type.
  public func list(
    _ type: RecordType?, in zone: ZoneID, damaged: DamageReport = { throw $0 },
    _ body: (Record) throws -> Bool
  ) throws(CloudError) {
    try requireReader()
    try strike(.fetch, type.map { [$0] } ?? [], in: zone)
    try environment.read {
      let table = try type.map { try environment.requireTable($0) }
      guard let zone = try zoneToRead(zone) else { return }
      try store.list(
        zone, type: table, visible: visibleRows(of: table, in: zone),
        damaged: { try damaged(CloudError($0)) }, body)
    }
  }

  /// The names of a zone's records that begin with a prefix, in byte order. If there are more than
  /// `limit`, the first ones and the last, which show their common prefix. Omits records that the
  /// user may not read.
  public func names(
    beginningWith prefix: String, in zone: ZoneID, atMost limit: Int
  ) throws(CloudError) -> [RecordName] {
    try requireReader()
    var names: [RecordName] = []
    try environment.read {
      guard let zone = try zoneToRead(zone) else { return }
      try store.list(
        zone, beginningWith: prefix, visible: visibleRows(of: nil, in: zone)
      ) { record in
        names.append(record.name)
        return names.count < limit
      }
      guard names.count == limit else { return }
      try store.list(
        zone, beginningWith: prefix, isDescending: true,
        visible: visibleRows(of: nil, in: zone)
      ) { record in
        if record.name != names.last { names.append(record.name) }
        return false
      }
    }
    return names
  }

  /// Passes all records of a zone as views, for writing many records.
  public func view(
    _ type: RecordType?, in zone: ZoneID, damaged: DamageReport = { throw $0 },
    _ body: (RecordView) throws -> Bool
  ) throws(CloudError) {
    try requireReader()
    try strike(.fetch, type.map { [$0] } ?? [], in: zone)
    try environment.read {
      let table = try type.map { try environment.requireTable($0) }
      guard let zone = try zoneToRead(zone) else { return }
      try store.view(
        zone, type: table, visible: visibleRows(of: table, in: zone),
        damaged: { try damaged(CloudError($0)) }, body)
    }
  }

  /// Returns which rows of a table may be read. Throws `permissionFailure` if none may be.
  func visibleRows(
    of table: TypeTable?, in zone: StoredZone
  ) throws -> (TypeTable) throws -> VisibleRows {
    if scope == .shared { return try visibleSharedRows(in: zone) }
    let rules = permissions
    if let schema = table?.schema, try rules.visibility(of: schema.grants) == .none {
      throw rules.refusal("READ", schema)
    }
    return { table in
      switch try rules.visibility(of: table.schema.grants) {
      case .all: .all
      case .own(let name): .ofAuthors(try store.authors(named: name))
      case .none: .ofAuthors([])
      }
    }
  }

  /// Which of some zones have records of some types, and whether one of these has a parent.
  public func extent(
    of types: [RecordType], in zones: [ZoneID]
  ) throws(CloudError) -> (zones: [ZoneID], hasParents: Bool) {
    try requireReader()
    return try environment.read {
      let stored = try zones.compactMap { try zoneToRead($0) }
      var found: Set<Int64> = []
      var hasParents = false
      for case let table? in try types.map({ try store.table($0) }) {
        for (zone, withParents) in try store.extent(of: table)
        where stored.contains(where: { $0.number == zone }) {
          found.insert(zone)
          hasParents = hasParents || withParents
        }
      }
      return (stored.filter { found.contains($0.number) }.map(\.zone.id), hasParents)
    }
  }
}
