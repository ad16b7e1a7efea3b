public import CloudModel
internal import RecordStore

extension CloudDatabase {
  /// Performs the operations of a request of Web Services, each with its own outcome (R4.2). An
  /// operation that cannot be read fails alone. Without `isAtomic` each is independent (R4.4.4).
  ///
  /// Throws `limitExceeded` for too many operations (C107), `invalidArguments` for an atomic
  /// request in the default zone (C105), and as `modify`. `complete` adds what a save needs besides
  /// its text, by its place: the contents of assets.
  public func perform(
    _ operations: [Result<RecordOperation, CloudError>], in zone: ZoneID, isAtomic: Bool,
    completing complete: (inout SaveRequest, Int) throws(CloudError) -> Void = { _, _ in }
  ) throws(CloudError) -> ModifyResult {
    guard operations.count <= Limits.wireOperations else {
      throw .tooManyOperations(operations.count)
    }
    var request = ModifyRequest([], isAtomic: isAtomic)
    for (place, operation) in operations.enumerated() {
      var item = try item(operation, in: zone)
      if case .save(var save) = item.change {
        do throws(CloudError) {
          try complete(&save, place)
          item.change = .save(save)
        } catch {
          var error = error
          error.recordName = save.name?.text
          item.change = .refused(error)
        }
      }
      request.items.append(item)
    }
    if isAtomic, scope == .public || request.items.contains(where: \.zone.isDefault) {
      throw CloudError(
        .invalidArguments, "atomic operations not supported in default zone", zone: zone)
    }
    return try modify(request)
  }

  private func item(
    _ operation: Result<RecordOperation, CloudError>, in zone: ZoneID
  ) throws(CloudError) -> ModifyRequest.Item {
    var requests = DraftRequests(in: scope, type: nil, zone: zone)
    requests.savesShares = true
    let read: RecordOperation
    switch operation {
    case .failure(let error): return requests.refused(error, error.recordName)
    case .success(let operation): read = operation
    }
    var draft = read.draft
    let place = (try? draft.zoneID(in: scope)) ?? zone
    do throws(CloudError) {
      switch read.kind {
      case .create, .forceUpdate, .forceReplace, .forceDelete: draft.changeTag = nil
      case .update, .replace:
        guard draft.changeTag != nil else { throw .missingTag }
      case .delete: break
      }
      if !draft.isDeletion, draft.type == nil { draft.type = try type(of: draft, in: place).text }
      requests.policy = read.kind == .create || read.kind.needsTag ? .unchanged : .changed
      requests.replacesFields = read.kind.replacesFields
      var item = requests.item(draft)
      if let share = read.share, case .save(var save) = item.change {
        save.share = try change(share, of: draft, in: place)
        item.change = .save(save)
      }
      return item
    } catch {
      guard error.storage == nil else { throw error }
      return requests.refused(error, draft.name, in: place)
    }
  }

  /// The type of the stored record that an operation without a type changes. Throws `unknownItem`
  /// if there is no such record.
  private func type(of draft: RecordDraft, in zone: ZoneID) throws(CloudError) -> RecordType {
    guard let name = draft.name else { throw .missingRecordType }
    let record = RecordName(stored: name)
    let stored = try environment.read {
      try zoneToRead(zone).flatMap { zone in
        try store.record(record, in: usersZone(holding: record, in: zone.zone.id) ?? zone)
      }
    }
    if let stored { return stored.record.type }
    throw draft.changeTag == nil ? .missingRecordType : .versionNotFound(record)
  }

  /// What the save of a share changes. The participants of a request are all that the share then
  /// has besides its owner.
  private func change(
    _ draft: RecordOperation.ShareDraft, of record: RecordDraft, in zone: ZoneID
  ) throws(CloudError) -> ShareSave {
    var edit = ShareEdit()
    edit.publicPermission = draft.publicPermission
    if let participants = draft.participants {
      var invitees: [Invitee] = []
      for participant in participants {
        let invitee = try environment.invitee(participant.invitee)
        invitees.append(invitee)
        edit.added.append(
          Invitation(
            invitee, participant.permission, isAdministrator: participant.isAdministrator))
      }
      edit.removed = try others(of: record, in: zone, except: invitees)
    }
    return ShareSave(
      root: try draft.root.map { (name) throws(CloudError) in try RecordName(name) },
      rootTag: draft.rootTag.map { ChangeTag(given: $0) }, edit)
  }

  /// The participants that a share has and a request does not name.
  private func others(
    of record: RecordDraft, in zone: ZoneID, except invitees: [Invitee]
  ) throws(CloudError) -> [Invitee] {
    guard let name = record.name else { return [] }
    return try environment.read {
      guard let zone = try zoneToRead(zone),
        let share = try store.share(RecordName(stored: name), in: zone)
      else { return [] }
      let directory = try ShareDirectory(environment)
      let rows = try store.participants(of: share).filter(\.takesPart)
      let named = invitees.compactMap { directory.row(of: $0, in: rows)?.id }
      return rows.filter { !named.contains($0.id) }.map { .participant($0.id) }
    }
  }
}

extension CloudError {
  /// Too many operations for a request of Web Services (C107).
  fileprivate static func tooManyOperations(_ count: Int) -> CloudError {
    CloudError(
      .limitExceeded,
      "Your request contains \(count) items which is more than the maximum number of items in a "
        + "single request (\(Limits.wireOperations))")
  }

  /// An update without the tag of the version that it changes (C093; the words are the project's).
  fileprivate static let missingTag = CloudError(
    .invalidArguments, "missing required field 'recordChangeTag'")

  /// A record without a type that is not there yet (the words are the project's).
  fileprivate static let missingRecordType = CloudError(
    .invalidArguments, "missing required field 'recordType'")
}
