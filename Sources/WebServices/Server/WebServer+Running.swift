#if Server
  internal import Basics
  internal import CloudModel
  internal import Dashboard
  internal import HummingbirdCore
  internal import HummingbirdTLS
  internal import Logging
  internal import NIOCore
  internal import NIOPosix
  internal import ServiceLifecycle
  internal import UnixSignals

  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Darwin)
    internal import Darwin
  #endif

  extension WebServer {
    /// Serves until SIGINT or SIGTERM, then ends within a second. `report` gets the ready line.
    /// Throws `StartFailure` if the server cannot start.
    public func run(_ report: @escaping @Sendable (String) throws -> Void) async throws {
      // Every connection and every reader needs a file.
      Platform.raiseFileLimit()
      try start.save(self)
      let work = Task { try await self.serve(report) }
      let helper = try Ticker(after: 10, every: 10, self.relieve())
      defer { helper.stop() }
      do { try await work.value } catch let error as IOError where error.errnoCode == EADDRINUSE {
        let holder = PortHolder.find(settings.port).map { ": \($0) has it" } ?? ""
        throw StartFailure("port \(settings.port) is in use\(holder)", exitCode: 69)
      } catch let error as IOError {
        throw StartFailure(
          "cannot listen on \(settings.socket ?? settings.host): \(error)", exitCode: 69)
      }
    }

    /// Starts threads where needed, and tidies up now and then.
    private func relieve() -> @Sendable () -> Void {
      let state = Locked((requests: UInt64(0), writes: UInt64(0), count: 0))
      return { [self] in
        let isDue = state.withLock { state in
          threads.relieve(&state.requests)
          slowThreads.relieve(&state.writes)
          state.count += 1
          return state.count % 500 == 0
        }
        if isDue { tidy() }
        if isOverdue {
          remove()
          exit(0)
        }
      }
    }

    private func serve(_ report: @escaping @Sendable (String) throws -> Void) async throws {
      var logger = Logger(label: "ckdb")
      logger.logLevel = .critical
      let group = MultiThreadedEventLoopGroup.singleton
      let server = try service(on: address, group, logger) { channel in
        let port = channel.localAddress?.port ?? self.settings.port
        do {
          let line = self.readyLine(port: port, link: self.openingLink(port: port))
          if let path = self.settings.readyFile {
            try FileSystem.replace(path, with: Array(line.utf8))
          }
          try report(line)
          if self.settings.opensDashboard { try self.open(port: port, report) }
        } catch { self.end() }
      }
      // The last one ends first: requests that wait must end before connections do.
      var configuration = ServiceGroupConfiguration(
        services: [.init(service: server), .init(service: Ending(server: self))],
        gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
      configuration.maximumGracefulShutdownDuration = .milliseconds(800)
      try await ServiceGroup(configuration: configuration).run()
    }

    private var address: BindAddress {
      if let socket = settings.socket { return .unixDomainSocket(path: socket) }
      return .hostname(settings.host, port: settings.port)
    }

    /// The most connections at once.
    private static let mostConnections = 2000

    private func service(
      on address: BindAddress, _ group: any EventLoopGroup, _ logger: Logger,
      _ ready: @escaping @Sendable (any NIOCore.Channel) async -> Void
    ) throws -> any Service {
      let handler = RequestHandler(server: self)
      let configuration = HTTP1Channel.Configuration(
        additionalChannelHandlers: [ConnectionGuard()],
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 8192, maxHeaderListSize: 16_384, maxHeaderFieldCount: 64))
      let tls = try tls()
      let builder = HTTPServerBuilder { responder in
        let plain = HTTP1Channel(responder: responder, configuration: configuration)
        guard let tls else { return ConnectionLoop(base: plain) }
        return ConnectionLoop(base: try TLSChannel(plain, tlsConfiguration: tls))
      }
      return try builder.buildServer(
        configuration: .init(
          address: address, backlog: 1024,
          availableConnectionsDelegate: .maximum(Self.mostConnections, logger: logger)),
        eventLoopGroup: group, logger: logger,
        responder: { request, writer, channel in
          try await handler.handle(request, writer, channel)
        }, onServerRunning: ready)
    }

    /// The origin of the server; nil for a socket in the file system.
    private func origin(port: Int) -> String? {
      if settings.socket != nil { return nil }
      let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
      return "\(settings.isSecure ? "https" : "http")://\(host):\(port)"
    }

    /// A link that opens the dashboard once; nil for a socket, which browsers cannot open.
    private func openingLink(port: Int) -> String? {
      origin(port: port).map { $0 + dashboard.openingPath() }
    }

    /// Opens the dashboard in the user's browser. Without one, prints the link.
    private func open(port: Int, _ report: (String) throws -> Void) throws {
      guard let link = openingLink(port: port) else { return }
      if settings.writesReadyJSON || Browser.open(link) { return }
      try report("open \(link)\n")
    }

    /// The line that says that the server takes requests.
    private func readyLine(port: Int, link: String?) -> String {
      let url = origin(port: port).map { $0 + settings.basePath } ?? "unix:\(settings.socket ?? "")"
      guard settings.writesReadyJSON else { return "listening on \(url)\n" }
      var members = [
        JSONMember("url", .string(url)), JSONMember("port", .int(Int64(port))),
        JSONMember("adminToken", .string(adminToken)),
      ]
      if let link { members.append(JSONMember("openURL", .string(link))) }
      if let apiToken { members.append(JSONMember("apiToken", .string(apiToken))) }
      return JSONValue.object(members).text + "\n"
    }
  }

  /// Lets requests that wait end when the server does.
  private struct Ending: Service {
    let server: WebServer

    func run() async throws {
      try? await gracefulShutdown()
      server.end()
      server.records.end()
    }
  }
#endif
