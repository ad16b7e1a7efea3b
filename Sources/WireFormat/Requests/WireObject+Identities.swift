internal import Basics
public import CloudModel
internal import FieldCodecs

// The identities in requests of Web Services (web-services.md, §4).
extension WireObject {
  /// The zone of a member; nil for none.
  public func zoneID(_ name: String = "zoneID") throws(CloudError) -> ZoneID? {
    guard let object = try object(name) else { return nil }
    return try object.asZoneID()
  }

  /// The object as a zone's identity: `zoneName`, `ownerRecordName`.
  public func asZoneID() throws(CloudError) -> ZoneID {
    let zone = try requiredText("zoneName")
    let owner = try text("ownerRecordName")
    return try checked("zoneName") { () throws(CloudError) in
      // In the public database, which has no owner.
      try ZoneID(name: zone, owner: owner == "_defaultOwner" ? nil : owner)
    }
  }

  /// The record name of a member, which must be there.
  public func recordName(_ name: String = "recordName") throws(CloudError) -> RecordName {
    let text = try requiredText(name)
    return try checked(name) { () throws(CloudError) in try RecordName(text) }
  }

  /// The names of fields in a member; nil for none.
  public func fieldNames(_ name: String = "desiredKeys") throws(CloudError) -> [FieldName]? {
    try texts(name)?.map { FieldName(stored: $0) }
  }

  /// The names of record types in a member; nil for none.
  public func recordTypes(_ name: String) throws(CloudError) -> [RecordType]? {
    try texts(name)?.map { RecordType(stored: $0) }
  }
}
