#if Server
  public import CloudModel

  /// The server of the dashboard: what pages show besides the store.
  public protocol DashboardServer: Sendable {
    /// A number that no other run of the server has.
    var runNumber: UInt64 { get }
    /// The time at which the server's clock is stopped; nil if it runs.
    var stoppedClock: Timestamp? { get }
    /// Stops the clock at a time, or lets it run. A fixture or a reset can change it, too.
    func stopClock(at time: Timestamp?)
    /// Restores the store from a snapshot, and closes the files that it replaces. Throws
    /// `CloudError`.
    func restore(_ snapshot: SnapshotName) throws
    /// The requests after a number.
    func requests(after number: Int64) -> ServedRequests
    /// A request that the server still remembers, with its explanation; nil for another one.
    func explainedRequest(_ number: Int64) -> ExplainedRequest?
    /// Sends a request again, as the same caller. Throws `unknownItem` for a request that is not
    /// remembered as a whole, `invalidArguments` if the server only shows the store, and its error.
    func repeatRequest(_ number: Int64) throws -> RepeatedRequest
    /// The slowest queries, slowest first, each kind once, with the equivalent command.
    var slowestQueries: [(request: ServedRequest, command: String?)] { get }
    /// The requests of the last hours by minutes, oldest first; minutes without requests are left
    /// out.
    var traffic: [TrafficMinute] { get }
  }

  /// The requests after a number.
  public struct ServedRequests: Sendable {
    /// Those that the server remembers, oldest first.
    public let requests: [ServedRequest]
    /// How many came before them that it has forgotten.
    public let forgotten: Int
    /// The number of the last one.
    public let last: Int64

    /// Creates the list.
    public init(_ requests: [ServedRequest], forgotten: Int, last: Int64) {
      (self.requests, self.forgotten, self.last) = (requests, forgotten, last)
    }
  }

  /// An answered request.
  public struct ServedRequest: Sendable {
    /// Its number, which increases.
    public var number: Int64
    /// When it was answered.
    public var at: Timestamp
    /// The method.
    public var method: String
    /// The path, without tokens.
    public var path: String
    /// The container and the environment that the path names; nil outside of Web Services.
    public var place: (container: String, environment: String)?
    /// The endpoint, such as `records/query`; nil for an unknown one.
    public var endpoint: String?
    /// The HTTP status.
    public var status: Int
    /// The code of an error; nil for success.
    public var failure: String?
    /// Why the request, or an item of it, failed; nil if nothing did.
    public var reason: String?
    /// Who sent it; nil before authentication.
    public var caller: String?
    /// How long it took, in microseconds.
    public var microseconds: Int64
    /// The numbers of the injected faults that struck it.
    public var faults: [Int]

    /// Creates the description.
    public init(
      number: Int64, at: Timestamp, method: String, path: String,
      place: (container: String, environment: String)?, endpoint: String?, status: Int,
      failure: String?, reason: String?, caller: String?, microseconds: Int64, faults: [Int]
    ) {
      (self.number, self.at, self.method, self.path) = (number, at, method, path)
      self.place = place
      (self.endpoint, self.status, self.failure) = (endpoint, status, failure)
      (self.reason, self.caller, self.microseconds) = (reason, caller, microseconds)
      self.faults = faults
    }
  }

  /// A request with everything that is known of it.
  public struct ExplainedRequest: Sendable {
    /// The request.
    public var request: ServedRequest
    /// The body of the request as JSON; nil for a long one.
    public var body: String?
    /// The body of the answer as JSON; nil for a long one.
    public var answer: String?
    /// The equivalent `ckdb` command, curl command and Swift code; nil for none.
    public var command, curl, swift: String?
    /// The rule that decides about its records; nil for a request without records.
    public var rule: String?
    /// How the store finds the records of a query; empty for other requests.
    public var steps: [String] = []
    /// The indexes that the query uses.
    public var indexes: [String] = []
    /// How many records the query read, and how many it returned; nil for other requests.
    public var examined, given: Int64?
    /// What CloudKit would object to.
    public var findings: [String] = []
    /// Whether it changes the store.
    public var isWriting = false
    /// The container and the environment; nil for other requests.
    public var place: (ContainerID, Environment)?

    /// Creates the description.
    public init(_ request: ServedRequest) { self.request = request }
  }

  /// The answer to a request that was sent again.
  public struct RepeatedRequest: Sendable {
    /// The HTTP status.
    public let status: Int
    /// The body of the answer as JSON.
    public let answer: String

    /// Creates the answer.
    public init(status: Int, answer: String) { (self.status, self.answer) = (status, answer) }
  }

  /// The requests of a minute.
  public struct TrafficMinute: Sendable {
    /// The beginning of the minute.
    public let at: Timestamp
    /// The requests by caller.
    public var callers: [String: Count] = [:]

    /// The requests of a caller.
    public struct Count: Sendable {
      /// How many requests there were.
      public var requests = 0
      /// How many failed.
      public var errors = 0

      /// None.
      public init() {}
    }

    /// A minute without requests.
    public init(at time: Timestamp) { at = time }
  }
#endif
