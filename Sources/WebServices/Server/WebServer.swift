#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import Dashboard
  internal import Synchronization

  /// A store as CloudKit Web Services: what all requests share.
  public final class WebServer: Sendable {
    /// What it was started with.
    let settings: ServerSettings
    /// The store.
    let store: CloudStore
    /// The environments that requests read.
    let environments: OpenEnvironments
    /// The writes.
    let lanes: WriteLanes
    /// The threads of requests that may take long.
    let threads: StoreThreads
    /// The threads that wait for the writer's lock, and do other long work.
    let slowThreads: StoreThreads
    /// The contents that were uploaded.
    let uploads = UploadedAssets()
    /// The files that were found intact.
    let verified = VerifiedFiles()
    /// Which hosts and origins are allowed.
    let origins: OriginRules
    /// The token for `/ckdb/1`.
    let adminToken: String
    /// The API token that was made at the start, for a store of the server's own; nil for others.
    let apiToken: String?
    /// The fixed time; requests change it.
    let clock: Locked<Timestamp?>
    /// What happened, for logs and counters.
    let records = RequestRecords()
    /// The log.
    let log: RequestLog
    /// When the end began, in milliseconds of the monotonic clock; 0 before.
    private let endBegan = Atomic<Int64>(0)
    /// The state that a reset brings back.
    let start: StartState
    /// The requests that wait for a commit.
    let commits = CommitSignals()
    /// How far polls for notifications have come.
    let couriers = CourierPlaces()
    /// The dashboard.
    let dashboard: Dashboard
    /// The counters.
    let metrics = ServerMetrics()
    /// The counters of the dashboard.
    let trafficCounter = TrafficCounter()
    /// A number that no other run of the server has.
    let run = UInt64.random(in: 1...(.max))
    /// The version of the server, which only works with the same version of `ckdb`.
    public static let version = ProgramVersion.number

    /// Opens the store. Throws `CloudError` if there is none.
    public init(_ settings: ServerSettings, adminToken: String?) throws {
      self.settings = settings
      log = RequestLog(settings.log)
      store = CloudStore(path: settings.storePath)
      let processors = Platform.processorCount
      threads = StoreThreads("requests", usual: max(2, processors), most: 32)
      slowThreads = StoreThreads("writes", usual: 8, most: 64)
      environments = OpenEnvironments(store)
      lanes = WriteLanes(environments, on: slowThreads)
      clock = Locked(settings.clock)
      dashboard = Dashboard(store, base: settings.basePath, isReadOnly: settings.isReadOnly)
      self.adminToken = adminToken ?? SystemRandom.bytes(32).hexadecimal
      apiToken = settings.isOwn ? try store.apiTokens().first?.text : nil
      let host = settings.host.lowercased()
      var hosts = OriginRules.loopbackHosts
      // Other machines know this one by its name.
      if !hosts.contains(host) { hosts += [host, Platform.hostName.lowercased()] }
      start = StartState(settings)
      origins = OriginRules(
        hosts: settings.socket == nil ? hosts : nil, origins: settings.origins,
        isSecure: settings.isSecure)
    }

    /// Does work that may take long on the threads for it: the task of a connection is on its event
    /// loop.
    func onThreads<T>(_ work: () throws -> T) async throws -> T {
      try await withTaskExecutorPreference(threads) { try await Self.moved(work) }
    }

    /// A preference alone moves nothing: only the beginning of a `@concurrent` function does.
    @concurrent @inline(never) private static func moved<T>(_ work: () throws -> T) async throws
      -> T
    {
      try work()
    }

    /// Whether a text is the admin token, compared in constant time.
    func isAdminToken(_ text: some StringProtocol) -> Bool {
      let (given, wanted) = (Array(text.utf8), Array(adminToken.utf8))
      let difference = zip(given, wanted).reduce(0) { $0 | ($1.0 ^ $1.1) }
      return given.count == wanted.count && difference == 0
    }

    /// Whether the server ends: requests that wait for something answer at once.
    var isEnding: Bool { endBegan.load(ordering: .relaxed) != 0 }

    /// Whether the end has taken so long that requests must stop working.
    var stopsWork: Bool { isEnding(since: 500) }

    /// Begins the end.
    func end() { endBegan.store(Platform.monotonicMilliseconds, ordering: .relaxed) }

    /// Whether connections are still open long after the end began. A client that does not respond
    /// can keep a TLS connection open.
    var isOverdue: Bool { isEnding(since: 900) }

    private func isEnding(since milliseconds: Int64) -> Bool {
      let began = endBegan.load(ordering: .relaxed)
      return began != 0 && Platform.monotonicMilliseconds - began > milliseconds
    }

    /// Removes what belongs to this process alone.
    public func remove() {
      for upload in uploads.takeEnded(by: nil) { discard(upload) }
      environments.closeAll()
      store.rest()
      if let folder = settings.removedFolder { try? FileSystem.remove(folder) }
    }

    private func discard(_ upload: UploadedAssets.Upload) {
      let ticket = upload.ticket
      try? environments.with(ticket.container, ticket.environment, for: Request()) {
        $0.discard(upload.staged)
      }
    }

    /// Discards expired uploads, and gives back what the last seconds did not need.
    func tidy() {
      for upload in uploads.takeEnded(by: Platform.monotonicMilliseconds) { discard(upload) }
      environments.closeUnused()
      Platform.releaseFreeMemory()
    }

    /// A request for what concerns the store as a whole.
    var controlRequest: Request {
      request(for: Account(stored: "me"), device: .cli) { true }
    }

    /// A request to the services for a caller.
    func request(for account: Account?, device: Device, isWanted: @escaping @Sendable () -> Bool)
      -> Request
    {
      Request(
        account: account, device: device, fixedClock: clock.withLock { $0 },
        randomness: settings.seed.map { .seeded($0) } ?? .system,
        patience: Patience(
          milliseconds: settings.waitMilliseconds,
          interruption: Interruption(isWanted: isWanted)), isStrict: settings.isStrict)
    }
  }
#endif
