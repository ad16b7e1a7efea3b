internal import Basics
public import CloudModel

/// How the records of a text become the items of one operation.
public struct DraftRequests: Sendable {
  /// The database of the operation.
  public var scope: DatabaseScope
  /// The type of records that name none.
  public var type: RecordType?
  /// The zone of records that name none.
  public var zone: ZoneID
  /// How the items treat what is in the store.
  public var policy: SavePolicy
  /// Whether fields that a record does not have lose their values.
  public var replacesFields: Bool

  /// Puts the choices together.
  public init(
    in scope: DatabaseScope, type: RecordType?, zone: ZoneID, policy: SavePolicy = .unchanged,
    replacesFields: Bool = false
  ) {
    self.scope = scope
    self.type = type
    self.zone = zone
    self.policy = policy
    self.replacesFields = replacesFields
  }

  /// The item of a record; one that fails where the record cannot be one of CloudKit's.
  public func item(_ draft: RecordDraft) -> ModifyRequest.Item {
    do throws(CloudError) {
      let zone = try draft.zoneID(in: scope) ?? zone
      if draft.isDeletion { return ModifyRequest.Item(try deletion(draft), in: zone) }
      return ModifyRequest.Item(.save(try save(draft)), in: zone)
    } catch {
      return refused(error, draft.name, in: (try? draft.zoneID(in: scope)) ?? zone)
    }
  }

  /// An item that fails, in the zone that the record names where it can be one.
  public func refused(
    _ error: CloudError, _ name: String?, in zone: ZoneID? = nil
  ) -> ModifyRequest.Item {
    var error = error
    error.recordName = error.recordName ?? name
    return ModifyRequest.Item(.refused(error), in: zone ?? self.zone)
  }

  private func save(_ draft: RecordDraft) throws(CloudError) -> SaveRequest {
    let named = try draft.type.map { (name) throws(CloudError) in try RecordType(name) }
    guard let type = named ?? type else { throw .missingType }
    var assignments: [FieldAssignment] = []
    for field in draft.fields {
      assignments.append(
        FieldAssignment(
          try FieldName(field.name.text), field.value, type: field.type, isPlain: true))
    }
    var request = SaveRequest(
      name: try draft.name.map { (name) throws(CloudError) in try RecordName(name) }, type: type,
      assignments: assignments, tag: draft.changeTag.map { ChangeTag(given: $0) }, policy: policy,
      replacesFields: replacesFields,
      parent: try draft.parent.map { (name) throws(CloudError) in try RecordName(name) },
      removesParent: draft.removesParent)
    request.parentZone = draft.parentZone
    return request
  }

  private func deletion(_ draft: RecordDraft) throws(CloudError) -> ModifyRequest.Change {
    guard let name = draft.name else {
      throw CloudError(.invalidArguments, "a record to delete must have a recordName")
    }
    return .delete(try RecordName(name), tag: draft.changeTag.map { ChangeTag(given: $0) })
  }
}

extension CloudError {
  /// A record of a text without a type, where none is given for all of them.
  static let missingType = CloudError(
    .invalidArguments, "the record has no recordType, and no TYPE is given")
}
