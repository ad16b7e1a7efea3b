#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import WireFormat

  /// A request to an endpoint of Web Services, parsed and authenticated. An object, which the
  /// closures of an answer share.
  final class Call: Sendable {
    /// The server.
    let server: WebServer
    /// The container.
    let container: ContainerID
    /// Development or production.
    let environment: Environment
    /// The database; public for endpoints outside of databases.
    let scope: DatabaseScope
    /// The caller.
    let caller: Caller
    /// Whether the method is GET.
    let isGet: Bool
    /// The target.
    let target: RequestTarget
    /// The body.
    let body: WireObject
    /// The length of the body's text.
    let bodyBytes: Int
    /// How the server is reached, for the URLs in answers: `http://localhost:8321`.
    let base: String
    /// The request that services get.
    let request: Request

    init(
      _ server: WebServer, _ container: ContainerID, _ environment: Environment,
      _ scope: DatabaseScope, caller: Caller, isGet: Bool, _ target: RequestTarget,
      body: WireObject, bodyBytes: Int, base: String, _ request: Request
    ) {
      (self.server, self.container, self.environment) = (server, container, environment)
      (self.scope, self.caller, self.isGet) = (scope, caller, isGet)
      (self.target, self.body, self.bodyBytes, self.base) = (target, body, bodyBytes, base)
      self.request = request
    }

    /// The same call with another request to the services.
    convenience init(_ call: Call, for request: Request) {
      self.init(
        call.server, call.container, call.environment, call.scope, caller: call.caller,
        isGet: call.isGet, call.target, body: call.body, bodyBytes: call.bodyBytes,
        base: call.base, request)
    }

    /// The zone that the body names, or the default zone.
    func zone() throws(CloudError) -> ZoneID { try body.zoneID() ?? .defaultZone }

    /// The fields that the body or one of its objects wants; nil for all.
    func keys(_ object: WireObject? = nil) throws(CloudError) -> [FieldName]? {
      if let own = try object?.fieldNames() { return own }
      return try body.fieldNames()
    }

    /// The objects of a list that must be there, at most 200 (W6). Throws `invalidArguments`.
    func items(_ name: String) throws(CloudError) -> [WireObject] {
      let objects = try body.requiredObjects(name)
      guard objects.count <= Limits.wireOperations else {
        throw .badRequest(
          "\(objects.count) \(name) were asked for; at most \(Limits.wireOperations) are allowed")
      }
      return objects
    }

    /// The maximum number of records in the answer: what the body says, at most 200 (W6).
    func limit(_ object: WireObject? = nil) throws(CloudError) -> Int {
      let asked = try (object ?? body).count("resultsLimit")
      let usual = try body.count("resultsLimit")
      return min(asked ?? usual ?? Limits.wireOperations, Limits.wireOperations)
    }

    /// The path of the environment in URLs of the server.
    var environmentPath: String { "\(container.text)/\(environment.rawValue)" }
  }

  /// An endpoint of Web Services (web-services.md, §3).
  final class Endpoint: Sendable {
    /// Its path below the database: `records/query`.
    let path: String
    /// The methods that it takes.
    let methods: [Method]
    /// The databases that have it; empty for endpoints below the environment (`/device/1`).
    let scopes: [DatabaseScope]
    /// What it does with the store.
    let access: Access
    /// What it does, as a sentence without the period.
    let summary: String
    /// The members of its request.
    let keys: [RequestKey]
    /// The member of its answer that is a list.
    let result: String
    /// Answers a request.
    let run: @Sendable (Call, CloudDatabase) throws -> Answer

    /// Which callers may use which databases (W1.1, W2.2).
    func require(_ scope: DatabaseScope, for caller: Caller) throws(WireFailure) {
      if case .key = caller, scope != .public {
        throw WireFailure(.accessDenied, "private db access disabled for this account")
      }
      guard scopes.contains(scope) else {
        throw WireFailure(
          .badRequest, "endpoint not applicable in the database type '\(scope.name)db'")
      }
    }

    /// The methods.
    enum Method: String, Sendable { case get = "GET", post = "POST" }

    /// What an endpoint does with the store.
    enum Access: Sendable {
      /// It reads what may be much.
      case reading
      /// It reads items by their names.
      case fetching
      /// It changes the store.
      case writing
    }

    init(
      _ path: String, _ summary: String, methods: [Method] = [.post],
      in scopes: [DatabaseScope] = .all, access: Access = .reading, keys: [RequestKey],
      result: String,
      _ run: @escaping @Sendable (Call, CloudDatabase) throws -> Answer
    ) {
      (self.path, self.methods, self.scopes) = (path, methods, scopes)
      (self.access, self.summary, self.keys) = (access, summary, keys)
      (self.result, self.run) = (result, run)
    }

    /// All endpoints below databases.
    static let all: [Endpoint] =
      records + changes + zones + subscriptions + users + sharing + assets

    /// The endpoints by path.
    static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })
  }

  extension [DatabaseScope] {
    static let all: [DatabaseScope] = [.public, .private, .shared]
    /// Only private and shared databases have change feeds.
    static let withFeeds: [DatabaseScope] = [.private, .shared]
  }

  /// A member of a request, for the description of the routes.
  struct RequestKey: Sendable {
    let name: String
    let kind: Kind
    let isRequired: Bool

    /// The kinds of values.
    indirect enum Kind: Sendable {
      case text
      case flag
      case count
      case texts
      case zone
      case query
      case fields
      case any
      case object([RequestKey])
      case list([RequestKey])
      /// One of some texts.
      case choice([String])
    }

    init(_ name: String, _ kind: Kind, isRequired: Bool = false) {
      (self.name, self.kind, self.isRequired) = (name, kind, isRequired)
    }

    /// The same member, which must be there.
    var required: RequestKey { RequestKey(name, kind, isRequired: true) }
  }
#endif
