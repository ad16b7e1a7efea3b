internal import Basics
internal import CloudModel
internal import Foundation
internal import Testing

@testable internal import WireFormat

/// Pushes that the service has sent (`CKDB_CONFORMANCE/push`): the same notification gives the same
/// payload.
@Suite struct PushConformanceTests {
  private static var folder: String? {
    ProcessInfo.processInfo.environment["CKDB_CONFORMANCE"].map { "\($0)/push" }
  }

  private static let files =
    folder.flatMap { folder in
      try? FileSystem.list(folder).filter { $0.hasSuffix(".json") }.map { "\(folder)/\($0)" }
    } ?? []

  @Test("R8.3: a payload is the service's", arguments: files)
  func payload(_ path: String) throws {
    let seen = try json(FileSystem.contents(of: path))
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
    let written = try json(PushPayload(notification).bytes)
    #expect(sorted(written) == sorted(seen))
  }

  private func json(_ bytes: [UInt8]) throws -> JSONValue {
    try bytes.withUnsafeBytes { try JSONParser.parse($0) }
  }

  /// The value with the members of objects in the order of their names.
  private func sorted(_ value: JSONValue) -> JSONValue {
    guard case .object(let members) = value else { return value }
    return .object(
      members.map { JSONMember($0.name, sorted($0.value)) }.sorted { $0.name < $1.name })
  }
}
