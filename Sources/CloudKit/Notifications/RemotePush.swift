internal import CloudModel
internal import Foundation

/// The dictionary of a push, as an app's delegate gets it (web-services.md, §4). Its values are
/// those of a property list and never change.
struct RemotePush: @unchecked Sendable {
  /// What CloudKit says.
  private let ck: [String: Any]
  /// What the system shows.
  let aps: [String: Any]
  /// The texts of the alert; one that is only a text is its body.
  let alert: [String: Any]
  /// What the push is about; empty if it did not fit.
  let subject: [String: Any]
  let type: CKNotification.NotificationType

  /// Reads a dictionary; nil for one that is not CloudKit's.
  init?(_ dictionary: [AnyHashable: Any]) {
    guard let ck = Self.members(dictionary["ck"]) else { return nil }
    self.ck = ck
    aps = Self.members(dictionary["aps"]) ?? [:]
    alert =
      (aps["alert"] as? String).map { ["body": $0] } ?? Self.members(aps["alert"]) ?? [:]
    let kinds: [(String, CKNotification.NotificationType)] = [
      ("qry", .query), ("fet", .recordZone), ("met", .database),
    ]
    let known = kinds.lazy.compactMap { key, type in Self.members(ck[key]).map { ($0, type) } }
      .first
    (subject, type) = known ?? ([:], .database)
  }

  private static func members(_ value: Any?) -> [String: Any]? {
    if let members = value as? [String: Any] { return members }
    guard let members = value as? [AnyHashable: Any] else { return nil }
    let named = members.compactMap { key, value in (key as? String).map { ($0, value) } }
    return Dictionary(named, uniquingKeysWith: { $1 })
  }

  var id: String? { ck["nid"] as? String }
  var container: String? { ck["cid"] as? String }
  var user: String? { (ck["ckuserid"] as? String).flatMap { $0.isEmpty ? nil : $0 } }
  var isPruned: Bool { id == nil || container == nil || subject.isEmpty }

  var scope: CKDatabase.Scope? {
    (subject["dbs"] as? NSNumber).flatMap { CKDatabase.Scope(rawValue: $0.intValue + 1) }
  }

  /// The zone; its owner is the current user's name for the user's own.
  var zoneID: CKRecordZone.ID? {
    guard let name = subject["zid"] as? String, !name.isEmpty else { return nil }
    let owner = subject["zoid"] as? String ?? ""
    let isOwn = owner.isEmpty || owner == user
    return CKRecordZone.ID(zoneName: name, ownerName: isOwn ? CKCurrentUserDefaultName : owner)
  }

  /// The notification of the push's kind.
  var notification: CKNotification {
    switch type {
    case .query: CKQueryNotification(self)
    case .recordZone: CKRecordZoneNotification(self)
    case .database, .readNotification: CKDatabaseNotification(self)
    }
  }
}
