internal import Basics
internal import CloudModel
internal import Testing

@testable internal import WireFormat

/// Pushes that the service has sent (`CKDB_CONFORMANCE/push`): the same notification gives the same
/// payload.
@Suite struct PushConformanceTests {
  @Test("R8.3: a payload is the service's", arguments: Conformance.files("push"))
  func payload(_ path: String) throws {
    let seen = try Conformance.json(of: path)
    let (ck, aps) = (try #require(seen["ck"]), seen["aps"])
    let subject = try #require(ck["qry"])
    var info = NotificationInfo()
    info.alertBody = aps?["alert"]?.string
    info.shouldSendContentAvailable = aps?["content-available"] == .int(1)
    func text(_ value: JSONValue, _ name: String) throws -> String {
      try #require(value[name]?.string)
    }
    var notification = PushNotification(
      number: 1, id: try text(ck, "nid"),
      container: try ContainerID(text(ck, "cid")),
      user: UserRecordName(stored: try text(ck, "ckuserid")),
      subscription: SubscriptionID(stored: try text(subject, "sid")), kind: .query,
      scope: .private, info: info, at: Timestamp(milliseconds: 0))
    notification.zone = ZoneID(stored: try text(subject, "zid"))
    notification.record = RecordName(stored: try text(subject, "rid"))
    notification.reason = .created
    let written = try Conformance.parse(PushPayload(notification).bytes)
    #expect(written.sorted == seen.sorted)
  }
}
