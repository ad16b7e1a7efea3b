internal import Basics
public import CloudModel

/// The APNs payload of a notification (web-services.md, §4): `aps` for the system, `ck` for
/// CloudKit. It has at most 4,096 bytes; excess parts are removed in the order that
/// `CKNotification.isPruned` documents.
public struct PushPayload {
  /// The maximum size of an APNs payload.
  public static let mostBytes = 4096

  /// Whether parts were removed.
  public private(set) var isPruned = false
  private var ck: [JSONMember]
  private var aps: [JSONMember]
  private var alert: [JSONMember]
  private let target: String?

  /// Creates the payload of a notification; `target` is an app's bundle ID for the simulator
  /// (`xcrun simctl push`).
  public init(_ notification: PushNotification, target: String? = nil) {
    self.target = target
    alert = Self.alert(notification)
    aps = Self.aps(notification)
    let isShown = !alert.isEmpty || !aps.isEmpty
    ck = Self.ck(notification, hasAuxiliary: isShown || notification.kind == .database)
    for part in Self.pruningOrder {
      if bytes.count <= Self.mostBytes { return }
      prune(part)
      isPruned = true
    }
  }

  /// The payload as JSON.
  public var bytes: [UInt8] {
    var aps = aps
    // An alert with only a body is its text.
    let isText = alert.count == 1 && alert[0].name == "body"
    let shown = isText ? alert[0].value : alertValue
    if shown != .null { aps.insert(JSONMember("alert", shown), at: 0) }
    var members = [JSONMember("ck", .object(ck))]
    // The simulator rejects a payload without it.
    if !aps.isEmpty || target != nil { members.insert(JSONMember("aps", .object(aps)), at: 0) }
    if let target { members.append(JSONMember("Simulator Target Bundle", .string(target))) }
    var bytes: [UInt8] = []
    bytes.append(json: .object(members))
    return bytes
  }

  // MARK: Parts

  private static func alert(_ notification: PushNotification) -> [JSONMember] {
    let (info, arguments) = (notification.info, notification.arguments)
    var alert: [JSONMember] = []
    func add(_ name: String, _ text: String?) {
      if let text { alert.append(JSONMember(name, .string(text))) }
    }
    func add(_ text: String?, _ name: String, key: String?, _ prefix: String, _ values: [String]) {
      guard let key else { return add(name, text) }
      add("\(prefix)loc-key", key)
      if values.isEmpty { return }
      alert.append(JSONMember("\(prefix)loc-args", .array(values.map { .string($0) })))
    }
    add(info.title, "title", key: info.titleLocalizationKey, "title-", arguments.title)
    add(
      info.subtitle, "subtitle", key: info.subtitleLocalizationKey, "subtitle-",
      arguments.subtitle)
    add(info.alertBody, "body", key: info.alertLocalizationKey, "", arguments.alert)
    add("action-loc-key", info.alertActionLocalizationKey)
    add("launch-image", info.alertLaunchImage)
    return alert
  }

  private static func aps(_ notification: PushNotification) -> [JSONMember] {
    let info = notification.info
    var aps: [JSONMember] = []
    if let badge = notification.badge { aps.append(JSONMember("badge", .int(Int64(badge)))) }
    if let sound = info.soundName { aps.append(JSONMember("sound", .string(sound))) }
    if let category = info.category { aps.append(JSONMember("category", .string(category))) }
    if info.shouldSendContentAvailable { aps.append(JSONMember("content-available", .int(1))) }
    if info.shouldSendMutableContent { aps.append(JSONMember("mutable-content", .int(1))) }
    return aps
  }

  /// `aux` is in the payloads that were seen with `aps`, and in those of database subscriptions
  /// (https://github.com/brightdigit/MistKit/issues/379, tsl-apple-cloudkit#22).
  private static func ck(
    _ notification: PushNotification, hasAuxiliary: Bool
  ) -> [JSONMember] {
    [JSONMember("ce", .int(2))] + (hasAuxiliary ? [JSONMember("aux", .object([]))] : []) + [
      JSONMember("cid", .string(notification.container.text)),
      JSONMember("nid", .string(notification.id)),
      JSONMember("ckuserid", .string(notification.user.text)),
      JSONMember(key(of: notification.kind), .object(subject(notification))),
    ]
  }

  private static func key(of kind: Subscription.Kind) -> String {
    switch kind {
    case .query: "qry"
    case .zone: "fet"
    case .database: "met"
    }
  }

  /// The subject of the notification.
  private static func subject(_ notification: PushNotification) -> [JSONMember] {
    var members = [
      JSONMember("dbs", .int(Int64(notification.scope.rawValue - 1))),
      JSONMember("sid", .string(notification.subscription.text)),
    ]
    if let reason = notification.reason {
      members.append(JSONMember("fo", .int(Int64(reason.rawValue))))
    }
    if let record = notification.record {
      members.append(JSONMember("rid", .string(record.text)))
    }
    if let zone = notification.zone ?? notification.changedZone {
      let isOwn = zone.owner == .current && notification.scope == .private
      members.append(JSONMember("zid", .string(zone.name.text)))
      members.append(
        JSONMember("zoid", .string(isOwn ? notification.user.text : zone.owner.text)))
    }
    if !notification.fields.isEmpty {
      members.append(JSONMember("af", .object(notification.fieldMembers)))
    }
    return members
  }

  // MARK: Pruning

  /// A part that can be removed.
  private enum Part {
    case fields
    case subject
    case ck(String)
    case aps(String)
    case alert([String])
  }

  /// The order in which parts are removed. Undocumented parts precede the badge.
  private static let pruningOrder: [Part] = [
    .fields, .ck("cid"), .subject, .aps("sound"), .alert(["launch-image"]),
    .alert(["action-loc-key"]), .alert(["body"]), .alert(["loc-args"]), .alert(["loc-key"]),
    .alert(["title", "title-loc-args", "title-loc-key"]),
    .alert(["subtitle", "subtitle-loc-args", "subtitle-loc-key"]), .aps("category"),
    .aps("badge"), .ck("nid"),
  ]

  private static let subjects = Subscription.Kind.allCases.map(key)

  private mutating func prune(_ part: Part) {
    switch part {
    case .fields:
      for place in ck.indices where Self.subjects.contains(ck[place].name) {
        guard case .object(let members) = ck[place].value else { continue }
        ck[place].value = .object(members.filter { $0.name != "af" })
      }
    case .subject: ck.removeAll { Self.subjects.contains($0.name) }
    case .ck(let name): ck.removeAll { $0.name == name }
    case .aps(let name): aps.removeAll { $0.name == name }
    case .alert(let names): alert.removeAll { names.contains($0.name) }
    }
  }

  // MARK: Reading

  /// The remaining alert; null for none.
  var alertValue: JSONValue { alert.isEmpty ? .null : .object(alert) }

  /// The remaining system values: the badge, the sound, the category; null for none.
  func value(_ name: String) -> JSONValue { aps.first { $0.name == name }?.value ?? .null }

  /// Whether the payload still names its subject.
  var hasSubject: Bool { ck.contains { Self.subjects.contains($0.name) } }

  /// Whether the payload still has its ID.
  var hasID: Bool { ck.contains { $0.name == "nid" } }

  /// The remaining values of the desired keys.
  var fields: JSONValue {
    for member in ck where Self.subjects.contains(member.name) {
      if let fields = member.value["af"] { return fields }
    }
    return .null
  }
}

extension PushNotification {
  fileprivate var fieldMembers: [JSONMember] {
    fields.map { JSONMember($0.name.text, (try? JSONParser.parse($0.json)) ?? .null) }
  }
}
