internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit
internal import WireFormat

/// Reports the notifications since the last prompt, for the current account and device.
final class PromptNews {
  private let session: Session
  private var place: Place?
  private var last: Int64 = 0
  /// The maximum number of notifications with a line each.
  private static let most = 5

  private struct Place: Equatable {
    let store: String
    let container: ContainerID
    let environment: CloudModel.Environment
  }

  init(_ session: Session) { self.session = session }

  /// Prints a line for each new notification. Errors of the store are ignored: they appear when a
  /// command is run.
  func report() {
    guard session.prompt?.transaction == nil else { return }
    let context = Context(session, Arguments())
    guard let store = try? context.store(), store.exists, let id = try? context.containerID().id,
      let environment = try? context.settings.environment(),
      let open = try? context.environment(id, environment, in: store),
      let now = try? open.lastNotificationNumber()
    else { return }
    let place = Place(store: store.path, container: id, environment: environment)
    if place == self.place, now > last { tell(open, context) }
    (self.place, last) = (place, now)
  }

  private func tell(_ environment: CloudEnvironment, _ context: Context) {
    var found: [PushNotification] = []
    try? environment.notifications(after: last) {
      found.append($0)
      return true
    }
    for notification in found.prefix(Self.most) { context.report(Self.line(notification)) }
    if found.count > Self.most {
      context.report("… \((found.count - Self.most).counted("more notification"))")
    }
  }

  private static func line(_ notification: PushNotification) -> String {
    var words = ["notification \(notification.number)", notification.subscription.text]
    if let record = notification.record, let reason = notification.reason {
      words.append("\(record.text) \(reason.name)")
    } else if let zone = notification.zone {
      words.append("zone \(zone.text) changed")
    }
    let text = notification.shownText
    if !text.isEmpty { words.append(text) }
    return words.joined(separator: ": ")
  }
}
