internal import Basics
internal import CloudModel
internal import TestSupport
internal import Testing
internal import WireFormat

/// The APNs payload and subscriptions as JSON (R8.2, R8.3.3, web-services.md, §4).
@Suite struct PushPayloadTests {
  private func text(_ random: inout SplitMix64, upTo limit: UInt64) -> String {
    let alphabet = ["a", "\"", "\\", "é", "\u{1F600}", "\n", "%@", " "]
    // Mostly short, sometimes longer than a payload.
    let count = random.next() % (random.next() % 4 == 0 ? limit : 20)
    return (0..<count).map { _ in alphabet[Int(random.next() % 8)] }.joined()
  }

  private func notification(_ random: inout SplitMix64) throws -> PushNotification {
    var info = NotificationInfo()
    for property in NotificationInfo.texts where random.next() % 2 == 0 {
      info[keyPath: property.path] = text(&random, upTo: 5000)
    }
    for property in NotificationInfo.switches {
      info[keyPath: property.path] = random.next() % 2 == 0
    }
    var notification = PushNotification(
      number: 1, id: "9093CE26-D09A-4C58-820D-3F860E5AAB11",
      container: try ContainerID("iCloud.org.example.app"),
      user: UserRecordName(stored: "_a"),
      subscription: SubscriptionID(stored: text(&random, upTo: 255)),
      kind: Subscription.Kind.allCases[Int(random.next() % 3)],
      scope: DatabaseScope.allCases[Int(random.next() % 3)], info: info,
      at: Timestamp(milliseconds: 0))
    notification.record = RecordName(stored: text(&random, upTo: 255))
    notification.zone = ZoneID(ZoneName(stored: "Lists"))
    notification.badge = info.shouldBadge ? 3 : nil
    notification.arguments.alert = [text(&random, upTo: 5000)]
    notification.arguments.title = [text(&random, upTo: 5000)]
    notification.fields = [
      .init(FieldName(stored: "title"), json: JSONValue.string(text(&random, upTo: 9000)).text)
    ]
    return notification
  }

  @Test("no payload exceeds 4,096 bytes, each is JSON, and one that fits is not pruned")
  func size() throws {
    var random = SplitMix64(state: 11)
    var pruned = 0
    for _ in 0..<3000 {
      let notification = try notification(&random)
      let payload = PushPayload(notification, target: "com.example.app")
      #expect(payload.bytes.count <= PushPayload.mostBytes)
      let json = try JSONParser.parse(String(decoding: payload.bytes, as: UTF8.self))
      #expect(json["aps"] != nil && json["ck"]?["ce"] == .int(2))
      if payload.isPruned {
        pruned += 1
        #expect(json["ck"]?["qry"]?["af"] == nil, "the desired keys go first")
      }
    }
    #expect((500...2900).contains(pruned), "\(pruned)")
  }

  @Test("parts are removed in the documented order: the longer the alert, the more of them")
  func order() throws {
    var notification = PushNotification(
      number: 1, id: "id", container: try ContainerID("iCloud.a"),
      user: UserRecordName(stored: "_a"),
      subscription: SubscriptionID(stored: "s"), kind: .query, scope: .private,
      info: NotificationInfo(), at: Timestamp(milliseconds: 0))
    notification.fields = [
      .init(FieldName(stored: "f"), json: "\"\(String(repeating: "f", count: 500))\"")
    ]
    notification.record = RecordName(stored: String(repeating: "r", count: 250))
    notification.info.soundName = String(repeating: "s", count: 500)
    notification.info.alertLaunchImage = String(repeating: "l", count: 500)
    notification.info.alertActionLocalizationKey = String(repeating: "k", count: 500)
    var left: [String] = []
    for count in stride(from: 10, through: 4500, by: 10) {
      notification.info.alertBody = String(repeating: "b", count: count)
      let text = String(decoding: PushPayload(notification).bytes, as: UTF8.self)
      let parts = [
        ("af", "\"af\""), ("cid", "\"cid\""), ("qry", "\"qry\""), ("sound", "\"sound\""),
        ("image", "launch-image"), ("action", "action-loc-key"), ("body", "bb"),
      ].filter { text.contains($0.1) }.map(\.0).joined(separator: " ")
      if left.last != parts { left.append(parts) }
    }
    #expect(
      left == [
        "af cid qry sound image action body", "cid qry sound image action body",
        "qry sound image action body", "sound image action body", "image action body",
        "action body", "body", "",
      ])
  }

  @Test("a subscription reads back as it was written")
  func subscriptions() throws {
    var random = SplitMix64(state: 5)
    for _ in 0..<500 {
      var subscription = Subscription(
        try SubscriptionID("s\(random.next() % 100)"),
        Subscription.Kind.allCases[Int(random.next() % 3)], in: .private)
      if subscription.kind != .database { subscription.zone = try ZoneID("Lists") }
      if subscription.kind == .query || random.next() % 2 == 0 {
        subscription.type = try RecordType("Note")
      }
      if subscription.kind == .query {
        subscription.predicate = "title == \"\(text(&random, upTo: 30))\""
        subscription.events = Subscription.Events(rawValue: Int(random.next() % 7) + 1)
        subscription.firesOnce = random.next() % 2 == 0
      }
      let written = try notification(&random).info
      subscription.info = written.isEmpty ? nil : written
      let draft = try SubscriptionDraft(json: JSONParser.parse(subscription.json.text))
      var read = draft.subscription
      if let predicate = draft.predicate { read.predicate = predicate }
      #expect(read == subscription)
    }
  }

  @Test("a cut or changed subscription never crashes; errors are within its text")
  func damaged() throws {
    let whole =
      #"[{"subscriptionID":"a","subscriptionType":"query","query":{"recordType":"N"},"#
      + #""firesOn":["create"],"notificationInfo":{"alertBody":"x","shouldBadge":true}}]"#
    var random = SplitMix64(state: 3)
    for cut in 0...whole.utf8.count {
      var bytes = Array(whole.utf8.prefix(cut))
      if !bytes.isEmpty {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(random.next() % 128)
      }
      let text = String(decoding: bytes, as: UTF8.self)
      do throws(JSONError) { _ = try SubscriptionDraft.list(text) } catch {
        #expect(error.offset <= text.utf8.count)
      }
    }
  }
}
