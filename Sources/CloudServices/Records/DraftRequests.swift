internal import Basics
public import CloudModel

/// Converts the records of a text to the items of one operation.
public struct DraftRequests: Sendable {
  /// The database of the operation.
  public var scope: DatabaseScope
  /// The default type of records.
  public var type: RecordType?
  /// The default zone of records.
  public var zone: ZoneID
  /// The save policy of the items.
  public var policy: SavePolicy
  /// Whether fields that a record omits lose their values.
  public var replacesFields: Bool
  /// Whether the records of shares are among them, which the caller completes.
  var savesShares = false

  /// Creates the conversion.
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

  /// Returns the item of a record; an item that fails if CloudKit could not have the record.
  public func item(_ draft: RecordDraft) -> ModifyRequest.Item {
    do throws(CloudError) {
      let zone = try draft.zoneID(in: scope) ?? zone
      if draft.isDeletion { return ModifyRequest.Item(try deletion(draft), in: zone) }
      return ModifyRequest.Item(.save(try save(draft)), in: zone)
    } catch {
      return refused(error, draft.name, in: (try? draft.zoneID(in: scope)) ?? zone)
    }
  }

  /// Returns an item that fails, in the zone that the record names if that is valid.
  public func refused(
    _ error: CloudError, _ name: String?, in zone: ZoneID? = nil
  ) -> ModifyRequest.Item {
    var error = error
    error.recordName = error.recordName ?? name
    return ModifyRequest.Item(.refused(error), in: zone ?? self.zone)
  }

  private func save(_ draft: RecordDraft) throws(CloudError) -> SaveRequest {
    let isShare = savesShares && draft.isShare
    let named = try draft.type.map { (name) throws(CloudError) in
      isShare ? .share : try RecordType(name)
    }
    guard let type = named ?? type else { throw .missingType }
    var assignments: [FieldAssignment] = []
    for field in draft.fields {
      let name =
        try isShare ? FieldName(schemaName: field.name.text) : FieldName(field.name.text)
      assignments.append(FieldAssignment(name, field.value, type: field.type, isPlain: true))
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
  /// The error for a record without a type.
  static let missingType = CloudError(
    .invalidArguments, "the record has no recordType, and no TYPE is given")
}
