internal import Basics
public import CloudModel

// The change feeds as JSON: `{"changed":[…],"deleted":[…],"token":"…","moreComing":false}`.

extension [UInt8] {
  /// Appends a page of a database's feed.
  public mutating func append(
    changed zones: [ZoneID], deleted: [(zone: ZoneID, reason: ZoneDeletionReason)],
    token: ChangeToken, isMoreComing: Bool
  ) {
    append(text: "{\"changed\":")
    append(jsonList: zones, "[", "]") {
      $0.append(UInt8(ascii: "{"))
      $0.append(zoneMembers: $1)
      $0.append(UInt8(ascii: "}"))
    }
    append(text: ",\"deleted\":")
    append(jsonList: deleted, "[", "]") {
      $0.append(UInt8(ascii: "{"))
      $0.append(zoneMembers: $1.zone)
      $0.append(text: ",\"reason\":\"\($1.reason.name)\"}")
    }
    append(token: token, isMoreComing)
  }

  /// Appends the part of a zone's feed page after the changed records; `hasChanged` is whether
  /// there are any.
  public mutating func append(
    deleted: [(name: RecordName, type: RecordType)], after hasChanged: Bool, clientToken: String?,
    token: ChangeToken, isMoreComing: Bool
  ) {
    append(text: hasChanged ? "]" : "{\"changed\":[]")
    append(text: ",\"deleted\":")
    append(jsonList: deleted, "[", "]") {
      $0.append(text: "{\"recordName\":")
      $0.append(jsonString: $1.name.text)
      $0.append(text: ",\"recordType\":")
      $0.append(jsonString: $1.type.text)
      $0.append(UInt8(ascii: "}"))
    }
    if let clientToken {
      append(text: ",\"clientChangeToken\":")
      append(jsonString: clientToken)
    }
    append(token: token, isMoreComing)
  }

  /// Appends the part of a zone's feed page before a changed record.
  public mutating func append(beforeChange isFirst: Bool) {
    append(text: isFirst ? "{\"changed\":[" : ",\n ")
  }

  private mutating func append(token: ChangeToken, _ isMoreComing: Bool) {
    append(text: ",\"token\":\"\(token.text)\",\"moreComing\":\(isMoreComing)}\n")
  }
}
