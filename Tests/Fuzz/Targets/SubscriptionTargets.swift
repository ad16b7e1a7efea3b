internal import Basics
internal import CloudModel
internal import WireFormat

/// Subscriptions as JSON, and the payloads of their notifications.
enum SubscriptionTargets {
  /// A valid subscription is written the same again, and a fault has a place in the text.
  static func subscription(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let drafts: [SubscriptionDraft]
    do throws(JSONError) { drafts = try SubscriptionDraft.list(text) } catch {
      return FuzzTarget.law(
        (0...text.utf8.count).contains(error.offset), "an error at \(error.offset)")
    }
    for draft in drafts where draft.isNamed {
      var subscription = draft.subscription
      if let predicate = draft.predicate { subscription.predicate = predicate }
      // Members that only queries have are refused later for other kinds, and are not written.
      guard subscription.kind == .query, subscription.type != nil else { continue }
      let written = subscription.json
      guard let again = try? SubscriptionDraft(json: written) else {
        return FuzzTarget.law(false, "written as \(written.text), which is not understood")
      }
      var read = again.subscription
      if let predicate = again.predicate { read.predicate = predicate }
      if read.info?.isEmpty == true, subscription.info == nil { read.info = nil }
      FuzzTarget.law(read == subscription, "written as \(written.text), and read as another")
    }
  }

  /// Every payload fits into the bytes that APNs accepts and is JSON, whatever it notifies of:
  /// the lines of the input are its texts.
  static func payload(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    func line(_ place: Int) -> String? {
      lines.indices.contains(place) && !lines[place].isEmpty ? lines[place] : nil
    }
    var info = NotificationInfo()
    for (place, property) in NotificationInfo.texts.enumerated() {
      info[keyPath: property.path] = line(place)
    }
    var next = NotificationInfo.texts.count
    func following() -> String {
      defer { next += 1 }
      return line(next) ?? ""
    }
    guard let container = try? ContainerID("iCloud.org.example.app") else { return }
    let kinds = Subscription.Kind.allCases
    var notification = PushNotification(
      number: 1, id: "9093CE26-D09A-4C58-820D-3F860E5AAB11", container: container,
      user: UserRecordName(stored: "_a2b43df67204f65dd1d1f098a943fee0"),
      subscription: SubscriptionID(stored: following()), kind: kinds[bytes.count % kinds.count],
      scope: .private, info: info, at: Timestamp(milliseconds: 0))
    notification.record = RecordName(stored: following())
    notification.arguments.alert = [following()]
    notification.arguments.title = [following()]
    notification.badge = bytes.count % 2 == 0 ? bytes.count : nil
    notification.fields = [
      .init(FieldName(stored: following()), json: JSONValue.string(following()).text)
    ]
    let payload = PushPayload(notification)
    FuzzTarget.law(
      payload.bytes.count <= PushPayload.mostBytes, "\(payload.bytes.count) bytes")
    let json = payload.bytes.withUnsafeBytes { try? JSONParser.parse($0) }
    FuzzTarget.law(json?["ck"]?["ce"] == .int(2), "not JSON, or without ck")
    _ = notification.shownText
  }
}
