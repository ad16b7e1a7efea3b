internal import Basics
public import CloudModel
internal import FieldCodecs
internal import RecordStore
internal import StoreFiles

extension RemoteCopy {
  /// What a push would do, zone by zone in name order. Throws `changeTokenExpired` after a restored
  /// snapshot or a reset, when what is missing here may not have been deleted.
  public func plan(
    zones wanted: [ZoneID]?, type: RecordType?
  ) throws(CloudError) -> [PushPlan] {
    try environment.read {
      let remote = try remoteIfAny()
      if let remote { try requireTrust(remote) }
      var plans: [PushPlan] = []
      let known = try remote.map { try store.zones(of: $0) } ?? []
      let stored = try database.storedZones()
      var zones = Set(known.map(zone(of:))).union(stored.map(\.zone.id))
      if let wanted { zones.formIntersection(wanted) }
      for id in zones.sorted(by: { utf8Precedes($0.text, $1.text) }) {
        let row = known.first { self.zone(of: $0) == id && $0.type.isEmpty }
        let zone = stored.first { $0.zone.id == id }
        let plan = try PushPlanning(self, id, zone, row, type).plan()
        if !plan.isEmpty || plan.isNewZone { plans.append(plan) }
      }
      return plans
    }
  }

  /// The records of saves as they are now, with the tags of the versions that they are based on.
  /// Those that were deleted meanwhile, or that the server has already, are left out.
  ///
  /// Stops after about `bytes` of values; `count` is how many saves were looked at.
  public func records(
    _ saves: [PlannedSave], in name: ZoneID, bytes: Int64 = .max
  ) throws(CloudError) -> (items: [(save: PlannedSave, sent: SentRecord)], count: Int) {
    try environment.read {
      guard let zone = try storedZone(name) else { return ([], saves.count) }
      let row = try remoteIfAny().flatMap { try knownRow(of: name, in: $0) }
      var found: [(PlannedSave, SentRecord)] = []
      var size: Int64 = 0
      for (place, var save) in saves.enumerated() {
        try store.checkInterrupt()
        if size > bytes { return (found, place) }
        guard let stored = try store.record(save.name, in: zone),
          let table = try store.table(stored.record.type)
        else { continue }
        let base = try row.flatMap { try store.base(of: save.name, in: $0) }
        if base?.newer != nil { continue }
        let sum = table.plainContents(of: stored.record)
        save.tag = base.flatMap { $0.tag.isEmpty ? nil : $0.tag }
        if save.tag != nil, let base, table.isPushed(stored.record, base) { continue }
        found.append((save, sent(stored, table, sum, base)))
        size += stored.record.fields.quotaSize
      }
      return (found, saves.count)
    }
  }

  /// The deletions that are still to be sent.
  public func deletions(
    _ planned: [PlannedDeletion], in name: ZoneID
  ) throws(CloudError) -> [PlannedDeletion] {
    try environment.read {
      let zone = try storedZone(name)
      guard let row = try remoteIfAny().flatMap({ try knownRow(of: name, in: $0) }) else {
        return []
      }
      return try planned.filter { deletion in
        guard let base = try store.base(of: deletion.name, in: row), base.newer == nil else {
          return false
        }
        if deletion.isReplaced { return true }
        return try zone.map { try !store.hasRecord(deletion.name, in: $0) } ?? true
      }
    }
  }

  /// Whether a zone is here.
  public func hasZone(_ name: ZoneID) throws(CloudError) -> Bool {
    try environment.read { try storedZone(name) != nil }
  }

  /// A record here; nil for none.
  public func record(_ name: RecordName, in zone: ZoneID) throws(CloudError) -> Record? {
    try environment.read {
      try storedZone(zone).flatMap { try store.record(name, in: $0)?.record }
    }
  }

  private func sent(
    _ stored: StoredRecord, _ table: TypeTable, _ sum: ContentSum, _ base: RemoteBase?
  ) -> SentRecord {
    var record = stored.record
    let fields = table.schema.fields
    if fields.contains(where: \.type.isEncrypted) {
      let plain = Set(fields.filter { !$0.type.isEncrypted }.map(\.name))
      record.fields = RecordFields(
        sorted: record.fields.entries.filter { plain.contains($0.name) })
    }
    var absent: [FieldName] = []
    for field in fields where !field.type.isEncrypted && record.fields[field.name] == nil {
      absent.append(field.name)
    }
    // The server lacks the encrypted values, so this version is not the one in common.
    let isWhole = record.fields == stored.record.fields
    return SentRecord(
      record: record, fields: fields, absent: absent,
      hasKnownAssets: base.map { !$0.tag.isEmpty && $0.sum.assets == sum.assets } ?? false,
      sequence: isWhole ? stored.sequence : 0, sum: sum)
  }

  /// Throws `changeTokenExpired` if records may have been lost here since the last pull. A remote
  /// that was never pulled has nothing to lose.
  private func requireTrust(_ remote: StoredRemote) throws {
    guard remote.incarnation != 0, try remote.incarnation != store.currentIncarnation() else {
      return
    }
    throw CloudError(
      .changeTokenExpired,
      "the store was restored or reset since the last pull: what is missing may not have been "
        + "deleted", remedy: .pullFirst)
  }

  /// Begins to trust a new remote.
  private func trust(_ remote: inout StoredRemote) throws {
    try requireTrust(remote)
    remote.incarnation = try store.currentIncarnation()
  }

  // MARK: What was sent

  /// Notes the records of a request before it is sent: if no answer comes, they are looked up
  /// before anything is sent again. The zone is then known to be on the server.
  public func noteSending(_ names: [RecordName], in zone: ZoneID) throws(CloudError) {
    try write { transaction in
      var remote = transaction.remote
      try trust(&remote)
      remote.sent = SentNames(zone: zone, names: names).text
      try store.update(remote)
    }
  }

  /// The records of the last request, if its answer was lost.
  public func unanswered() throws(CloudError) -> (zone: ZoneID, names: [RecordName])? {
    try read { remote -> SentNames? in
      try requireTrust(remote)
      return remote.sent.flatMap { SentNames(text: $0) }
    }?.map { ($0.zone, $0.names) }
  }

  /// What a request did to a record.
  public enum Sent: Sendable {
    /// It was saved, and has a tag.
    case saved(RecordName, tag: String, SentRecord)
    /// It was deleted.
    case deleted(RecordName)
    /// It shall replace the server's version with a tag, or be created if there is none.
    case based(RecordName, tag: String?)
  }

  /// Notes what a request did, whose answer is known now.
  public func note(_ results: [Sent], in zone: ZoneID) throws(CloudError) {
    try write { transaction in
      var remote = transaction.remote
      remote.sent = nil
      try store.update(remote)
      let row = try row(of: zone, in: remote)
      for result in results {
        switch result {
        case .saved(let name, let tag, let sent):
          guard let table = try store.table(sent.record.type) else { continue }
          // A query that is under way may have met the record already.
          let round = try store.base(of: name, in: row)?.round ?? row.round
          try store.setBase(
            of: name, table, sequence: sent.sequence, tag: tag, sent.sum, round: round, in: row)
        case .deleted(let name): try store.removeBase(of: name, in: row)
        case .based(let name, let tag):
          if var base = try store.base(of: name, in: row), let tag {
            (base.tag, base.newer) = (tag, nil)
            (base.sequence, base.sum) = (0, .none)
            try store.set(base, in: row)
          } else {
            try store.removeBase(of: name, in: row)
          }
        }
      }
    }
  }

  /// Notes that the server has a zone, or, for one that was deleted, that it has no more.
  public func note(zone name: ZoneID, exists: Bool) throws(CloudError) {
    try write { transaction in
      var remote = transaction.remote
      try trust(&remote)
      try store.update(remote)
      let row = try row(of: name, in: remote)
      if !exists { try store.remove(row) }
    }
  }

  /// The file with the contents of an asset.
  public func path(of asset: Asset) -> String { store.assets.path(of: asset) }

  /// Notes the names that the server gave to the contents of assets.
  public func note(assets: [(file: RemoteFile, asset: Asset)]) throws(CloudError) {
    try write { transaction in
      for (file, asset) in assets {
        try store.note(asset, ofChecksum: file.checksum, of: transaction.remote)
      }
    }
  }
}

extension TypeTable {
  /// Whether a push has nothing to send of a record.
  func isPushed(_ record: Record, _ base: RemoteBase) -> Bool {
    contents(of: record) == base.sum || plainContents(of: record) == base.sum
  }
}

/// The records of a request.
private struct SentNames {
  let zone: ZoneID
  let names: [RecordName]

  init(zone: ZoneID, names: [RecordName]) { (self.zone, self.names) = (zone, names) }

  /// Reads the output of `text`.
  init?(text: String) {
    guard let words = (try? JSONParser.parse(text))?.array?.compactMap(\.string),
      let first = words.first
    else { return nil }
    self.init(
      zone: ZoneID(ZoneName(stored: first)), names: words.dropFirst().map { RecordName(stored: $0) }
    )
  }

  /// The text in the store; nil for no records.
  var text: String? {
    if names.isEmpty { return nil }
    return JSONValue.array(([zone.text] + names.map(\.text)).map { .string($0) }).text
  }
}
