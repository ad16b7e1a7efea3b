#if Server
  internal import AsyncHTTPClient
  internal import Basics
  internal import CloudSync
  internal import Crypto
  internal import NIOCore
  internal import NIOHTTP1
  internal import NIOPosix
  internal import NIOSSL

  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Darwin)
    internal import Darwin
  #endif

  /// Carries requests by HTTP/2 or HTTP/1.1, over connections that stay open.
  ///
  /// Certificates are checked; SSL_CERT_FILE names other roots than the system's. Redirects are not
  /// followed: they would carry the credentials to another host.
  final class HTTPTransport: RemoteTransport {
    private let client: HTTPClient
    private let keys = Locked<[String: P256.Signing.PrivateKey]>([:])

    private static let connecting = TimeAmount.seconds(15)
    private static let reading = TimeAmount.seconds(90)
    /// The longest body that is kept in memory: 200 records of a megabyte, and their names.
    private static let longestBody = 256 << 20

    init() throws {
      var tls = TLSConfiguration.makeClientConfiguration()
      if let path = getenv("SSL_CERT_FILE"), path.pointee != 0 {
        tls.trustRoots = .file(String(cString: path))
      }
      var configuration = HTTPClient.Configuration(
        tlsConfiguration: tls, redirectConfiguration: .disallow,
        timeout: .init(connect: Self.connecting, read: Self.reading))
      configuration.httpVersion = .automatic
      configuration.connectionPool.idleTimeout = .seconds(30)
      // A server that closed a connection meanwhile must not look like one that may have done a
      // request: the client of the protocol decides what is repeated.
      configuration.connectionPool.retryConnectionEstablishment = false
      client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit { try? client.syncShutdown() }

    // MARK: Requests

    func send(_ request: RemoteRequest) throws(RemoteFailure) -> RemoteResponse {
      try waiting { [client] in
        var message = HTTPClientRequest(url: request.url)
        message.method = .init(rawValue: request.method)
        for (name, value) in request.headers { message.headers.add(name: name, value: value) }
        if !request.body.isEmpty { message.body = .bytes(request.body) }
        let response = try await client.execute(message, timeout: .hours(1))
        return try await Self.read(response)
      }
    }

    func download(_ url: String, to path: String) throws(RemoteFailure) -> RemoteResponse {
      try waiting { [client] in
        let response = try await client.execute(HTTPClientRequest(url: url), timeout: .hours(24))
        guard response.status == .ok else { return try await Self.read(response) }
        let file = try FileHandle(create: path)
        for try await chunk in response.body {
          try chunk.withUnsafeReadableBytes { bytes throws(SystemError) in
            try file.write(all: bytes)
          }
        }
        return RemoteResponse(Int(response.status.code), headers: Self.headers(response))
      }
    }

    func upload(_ path: String, to url: String) throws(RemoteFailure) -> RemoteResponse {
      try waiting { [client] in
        let size = try FileHandle(openRegular: path).status().st_size
        var message = HTTPClientRequest(url: url)
        message.method = .POST
        message.headers.add(name: "content-type", value: "application/octet-stream")
        message.body = .stream(FileChunks(path), length: .known(Int64(size)))
        return try await Self.read(client.execute(message, timeout: .hours(24)))
      }
    }

    private static func read(_ response: HTTPClientResponse) async throws -> RemoteResponse {
      let body = try await response.body.collect(upTo: longestBody)
      return RemoteResponse(
        Int(response.status.code), headers: headers(response), body: Array(body.readableBytesView))
    }

    private static func headers(_ response: HTTPClientResponse) -> [String: String] {
      var headers: [String: String] = [:]
      for (name, value) in response.headers { headers[name.lowercased()] = value }
      return headers
    }

    // MARK: Waiting

    /// Runs a request while the thread waits; an interrupt cancels it.
    private func waiting(
      _ work: @escaping @Sendable () async throws -> RemoteResponse
    ) throws(RemoteFailure) -> RemoteResponse {
      let answer = Channel<Result<RemoteResponse, any Error>>(capacity: 1)
      let task = Task {
        do { _ = answer.send(.success(try await work())) } catch {
          _ = answer.send(.failure(error))
        }
      }
      while true {
        if Interrupt.isRaised {
          task.cancel()
          throw RemoteFailure(.interrupted, "interrupted")
        }
        guard let result = answer.receive(milliseconds: 100) else { continue }
        switch result {
        case .success(let response): return response
        case .failure(let error): throw RemoteFailure(any: error)
        }
      }
    }

    // MARK: Signing

    func signature(of message: [UInt8], by key: String) throws(RemoteFailure) -> [UInt8] {
      do {
        let signer = try keys.withLock { keys in
          if let known = keys[key] { return known }
          let read = try P256.Signing.PrivateKey(pemRepresentation: key)
          keys[key] = read
          return read
        }
        return try Array(signer.signature(for: message).derRepresentation)
      } catch {
        throw RemoteFailure(.permanent, "the key of the remote is not an EC key on P-256 in PEM")
      }
    }
  }

  /// The chunks of a file.
  private struct FileChunks: AsyncSequence, Sendable {
    private let path: String
    private static let size = 256 << 10

    init(_ path: String) { self.path = path }

    struct AsyncIterator: AsyncIteratorProtocol {
      let path: String
      private var open: FileHandle?

      init(_ path: String) { self.path = path }

      mutating func next() async throws -> ByteBuffer? {
        let file = try open ?? FileHandle(openRegular: path)
        open = file
        var buffer = ByteBufferAllocator().buffer(capacity: FileChunks.size)
        let count = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: FileChunks.size) {
          try file.read(into: $0)
        }
        return count == 0 ? nil : buffer
      }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(path) }
  }

  extension RemoteFailure {
    /// What an error of the HTTP client says about the request.
    init(any error: any Error) {
      switch error {
      case let failure as RemoteFailure: self = failure
      case let error as SystemError: self.init(.permanent, "\(error)")
      case is CancellationError: self.init(.interrupted, "interrupted")
      case let error as NIOConnectionError:
        self.init(.notSent, "cannot connect to \(error.host):\(error.port)")
      case let error as NIOSSLError: self.init(error)
      case let error as HTTPClientError: self.init(error)
      case let error as IOError where error.errnoCode == ECONNREFUSED:
        self.init(.notSent, "the connection was refused")
      default: self.init(.unknown, "\(error)")
      }
    }

    private init(_ error: NIOSSLError) {
      switch error {
      case .handshakeFailed(let reason): self.init(.permanent, Self.text(ofHandshake: "\(reason)"))
      default: self.init(.unknown, "TLS: \(error)")
      }
    }

    /// The usual reasons in words; others as BoringSSL has them, without its source files.
    private static func text(ofHandshake reason: String) -> String {
      if reason.contains("CERTIFICATE_VERIFY_FAILED") {
        return "TLS: the certificate of the server is not trusted"
      }
      if reason.contains("WRONG_VERSION_NUMBER") { return "TLS: the server does not speak TLS" }
      let words = reason.split(separator: ":").map(String.init)
      return "TLS: the handshake failed" + (words.count > 4 ? ": \(words[3]) \(words[4])" : "")
    }

    private init(_ error: HTTPClientError) {
      switch error {
      case .connectTimeout: self.init(.notSent, "the server does not answer")
      case .invalidURL, .emptyHost, .emptyScheme: self.init(.permanent, "not an address: \(error)")
      case .remoteConnectionClosed: self.init(.unknown, "the server closed the connection")
      case .readTimeout, .deadlineExceeded: self.init(.unknown, "the server does not answer")
      case .cancelled: self.init(.interrupted, "interrupted")
      default: self.init(.unknown, error.shortDescription)
      }
    }
  }
#endif
