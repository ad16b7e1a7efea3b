internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import FieldCodecs

/// Prints shares: completely as JSON, one line each in other formats.
enum ShareOutput {
  private static let columns = ["share", "zone", "root", "title", "role", "public", "participants"]
  private static let jsonColumns = [
    "recordName", "recordType", "zone", "ownerName", "root", "title", "type", "url",
    "publicPermission", "allowsRequests", "participants", "currentUser", "requesters", "blocked",
    "changeTag", "fields",
  ]

  static func write(_ shares: [Share], _ context: Context) throws {
    let isJSON = try context.format().isJSON
    let output = try RowOutput(
      context, noun: "share", columns: isJSON ? jsonColumns : columns)
    for share in shares { output.row(isJSON ? jsonCells(share) : cells(share)) }
    output.finish()
  }

  /// A share as one JSON value.
  static func json(_ share: Share) -> JSONValue {
    .object(
      zip(jsonColumns, jsonCells(share)).compactMap { name, value in
        value == .null ? nil : JSONMember(name, value)
      })
  }

  private static func cells(_ share: Share) -> [JSONValue] {
    [
      .string(share.record.name.text), .string(share.record.zone.text),
      share.root.map { .string($0.text) } ?? .null, text(share, .shareTitle),
      share.current.map { .string($0.role.name) } ?? .null, .string(share.publicPermission.name),
      .int(Int64(share.participants.count)),
    ]
  }

  private static func jsonCells(_ share: Share) -> [JSONValue] {
    let owner: JSONValue =
      if case .user(let name) = share.record.zone.owner { .string(name.text) } else { .null }
    return [
      .string(share.record.name.text), .string(share.record.type.text),
      .string(share.record.zone.text), owner, share.root.map { .string($0.text) } ?? .null,
      text(share, .shareTitle), text(share, .shareType), .string(share.url.text),
      .string(share.publicPermission.name), .bool(share.allowsRequests),
      .array(share.participants.map(participant)), share.current.map(participant) ?? .null,
      people(share.requesters), people(share.blocked),
      share.record.changeTag.map { .string($0.text) } ?? .null,
      fields(share),
    ]
  }

  /// The app's own fields.
  private static func fields(_ share: Share) -> JSONValue {
    var members: [JSONMember] = []
    for entry in share.record.fields.entries {
      if [.shareTitle, .shareType, .shareThumbnail].contains(entry.name) { continue }
      var bytes: [UInt8] = []
      bytes.append(plain: entry.value)
      guard let value = try? JSONParser.parse(String(decoding: bytes, as: UTF8.self)) else {
        continue
      }
      members.append(JSONMember(entry.name.text, value))
    }
    return members.isEmpty ? .null : .object(members)
  }

  private static func people(_ participants: [ShareParticipant]) -> JSONValue {
    participants.isEmpty ? .null : .array(participants.map(participant))
  }

  static func text(_ share: Share, _ field: FieldName) -> JSONValue {
    if case .string(let text)? = share.record.fields[field] { .string(text) } else { .null }
  }

  /// A participant, in CloudKit's terms.
  static func participant(_ participant: ShareParticipant) -> JSONValue {
    var members: [JSONMember] = []
    if let id = participant.id { members.append(JSONMember("participantID", .string(id))) }
    members += [
      JSONMember("userIdentity", participant.identity.json),
      JSONMember("role", .string(participant.role.name)),
      JSONMember("permission", .string(participant.permission.name)),
      JSONMember("acceptanceStatus", .string(participant.status.name)),
    ]
    if let added = participant.added {
      members.append(JSONMember("dateAddedToShare", .string(added.text)))
    }
    if participant.isApprovedRequester {
      members.append(JSONMember("isApprovedRequester", .bool(true)))
    }
    if let url = participant.oneTimeURL {
      members.append(JSONMember("oneTimeURL", .string(url.text)))
    }
    return .object(members)
  }

  static let participantColumns = [
    "participant", "role", "permission", "acceptanceStatus", "userRecordName", "participantID",
  ]

  /// A participant as a row.
  static func row(_ participant: ShareParticipant) -> [JSONValue] {
    [
      .string(name(of: participant)), .string(participant.role.name),
      .string(participant.permission.name), .string(participant.status.name),
      participant.identity.userRecordName.map { .string($0.text) } ?? .null,
      participant.id.map { .string($0) } ?? .null,
    ]
  }

  /// A readable name of a participant.
  static func name(of participant: ShareParticipant) -> String {
    let identity = participant.identity
    return participant.account?.name ?? identity.address?.text ?? identity.userRecordName?.text
      ?? "(one-time URL)"
  }
}
