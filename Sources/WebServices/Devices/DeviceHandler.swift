#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import WireFormat

  /// The devices of pages and apps, and the notifications that they poll for (web-services.md, §3,
  /// §4): `/device/1/CONTAINER/ENVIRONMENT/tokens/…`.
  struct DeviceHandler {
    let server: WebServer
    let container: ContainerID
    let environment: Environment
    let base: String

    /// How long a poll is held: a client asks again at once.
    private static let holdMilliseconds: Int64 = 300_000
    private static let purpose = "courier"

    /// Makes a token, with the URL to poll for its notifications.
    func createToken(_ call: Call) throws -> Answer {
      guard let account = call.caller.account else {
        throw WireFailure(.authenticationRequired, "request needs authorization")
      }
      let kind = try call.body.requiredText("apnsEnvironment")
      let device = call.request.device
      let last = try server.environments.with(container, environment, for: call.request) {
        try $0.lastNotificationNumber()
      }
      let token = SystemRandom.bytes(32).hexadecimal
      let ticket = try server.store.ticket(
        [container.text, environment.rawValue, device.name, String(last), token, account.name],
        for: Self.purpose)
      return Answer([
        JSONMember("apnsEnvironment", .string(kind)), JSONMember("apnsToken", .string(token)),
        JSONMember("webcourierURL", .string("\(base)/device/1/courier/\(ticket)")),
      ])
    }

    /// Accepts the token of a device that Apple notifies. The server sends nothing to it.
    func registerToken(_ call: Call) throws -> Answer {
      guard call.caller.account != nil else {
        throw WireFailure(.authenticationRequired, "request needs authorization")
      }
      _ = try call.body.requiredText("apnsEnvironment")
      _ = try call.body.requiredText("apnsToken")
      return Answer([])
    }

    /// Answers a poll with the next notification; holds it until there is one (W4.9). Answers 204
    /// after some minutes without any.
    static func poll(_ ticket: String, _ server: WebServer, isWanted: () -> Bool) async throws
      -> Answer
    {
      guard let fields = try server.store.fields(of: ticket, for: purpose), fields.count == 6,
        let environment = Environment(rawValue: fields[1]), let first = Int64(fields[3])
      else { throw WireFailure(.notFound, "the courier URL is not one of this server") }
      let container = try ContainerID(fields[0])
      let request = server.request(
        for: Account(stored: fields[5]), device: Device(stored: fields[2])
      ) { !server.isEnding }
      let end = Platform.monotonicMilliseconds + holdMilliseconds
      while !server.isEnding, isWanted() {
        let after = server.couriers.last(fields[4]) ?? first
        var file = ""
        let found = try server.environments.with(container, environment, for: request) {
          open -> PushNotification? in
          file = open.commitFile
          var found: PushNotification?
          try open.notifications(after: after) {
            found = $0
            return false
          }
          return found
        }
        if let found {
          server.couriers.note(found.number, for: fields[4])
          return Answer(json: PushPayload(found).bytes)
        }
        let left = end - Platform.monotonicMilliseconds
        if left <= 0 { break }
        await server.commits.wait(for: file, upTo: left, server)
      }
      return Answer(status: 204)
    }
  }

  /// How far each token's polls have come.
  final class CourierPlaces: Sendable {
    private let places = Locked<[String: Int64]>([:])

    /// The number of the last notification that a token got; nil for none.
    func last(_ token: String) -> Int64? { places.withLock { $0[token] } }

    /// Notes that a token got a notification.
    func note(_ number: Int64, for token: String) { places.withLock { $0[token] = number } }
  }
#endif
