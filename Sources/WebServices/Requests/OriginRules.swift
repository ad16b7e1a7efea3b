#if Server
  internal import Basics
  internal import CloudModel
  internal import HTTPTypes
  internal import NIOCore

  /// Which hosts a request may name, and the pages of which origins may send one (T1 to T3).
  struct OriginRules: Sendable {
    /// The hosts, in lower case, without ports; nil accepts all, for sockets that no browser
    /// reaches.
    let hosts: [String]?
    /// The origins of `--origin`.
    let origins: [String]
    /// Whether the server has TLS.
    let isSecure: Bool

    /// The names of this machine.
    static let loopbackHosts = ["localhost", "127.0.0.1", "[::1]"]

    /// The host of a request as its URLs name it. Throws `WireFailure` for the name of another
    /// machine: a page may point its own name at this one (DNS rebinding). The address that the
    /// connection reached is always allowed.
    func authority(
      of headers: HTTPRequest, at reached: SocketAddress?
    ) throws(WireFailure) -> String {
      guard let authority = headers.authority else {
        throw WireFailure(status: 400, "the request has no Host", closes: true)
      }
      guard let hosts else { return authority }
      if let host = Self.host(of: authority) {
        if hosts.contains(host) { return authority }
        if let address = reached?.ipAddress, host == address || host == "[\(address)]" {
          return authority
        }
      }
      throw WireFailure(.accessDenied, "the host is not allowed", closes: true)
    }

    /// The host of an authority, in lower case and without a final dot; nil for none.
    private static func host(of authority: String) -> String? {
      var host = authority.lowercased()[...]
      if host.hasPrefix("[") {
        guard let end = host.firstIndex(of: "]") else { return nil }
        let port = host[host.index(after: end)...]
        guard port.isEmpty || isPort(port) else { return nil }
        host = host[...end]
      } else if let colon = host.firstIndex(of: ":") {
        guard isPort(host[colon...]) else { return nil }
        host = host[..<colon]
      }
      if host.hasSuffix(".") { host = host.dropLast() }
      return String(host)
    }

    private static func isPort(_ text: Substring) -> Bool {
      text.first == ":" && text.count > 1
        && text.utf8.dropFirst().allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
    }

    /// Whether pages of an origin may use an API token: one of its own origins, or, if it has none,
    /// one of this machine or of `--origin`.
    func allows(_ origin: String, by token: APIToken?) -> Bool {
      if let token, !token.origins.isEmpty { return token.origins.contains(origin) }
      return Self.isLoopback(origin) || origins.contains(origin)
    }

    /// Whether an origin is a page of this machine, on any port.
    static func isLoopback(_ origin: String) -> Bool {
      for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
        let authority = String(origin.dropFirst(scheme.count))
        guard let host = host(of: authority), loopbackHosts.contains(host) else { return false }
        return authority.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "/") }
      }
      return false
    }

    /// The origin of this server, as a request reached it.
    func ownOrigin(_ authority: String) -> String {
      "\(isSecure ? "https" : "http")://\(authority)"
    }
  }

  extension HTTPFields {
    /// Whether the browser says that a page of another site sent the request.
    var isCrossSite: Bool { self[.fetchSite] == "cross-site" }
  }

  extension HTTPField.Name {
    static let fetchSite = name("Sec-Fetch-Site")
    static let keyID = name("X-Apple-CloudKit-Request-KeyID")
    static let signatureDate = name("X-Apple-CloudKit-Request-ISO8601Date")
    static let signature = name("X-Apple-CloudKit-Request-SignatureV1")
    static let lastEventID = name("Last-Event-ID")
    static let webAuthToken = name("X-Apple-CloudKit-Web-Auth-Token")
    static let requestID = name("X-Apple-Request-UUID")
    static let referrerPolicy = name("Referrer-Policy")
    static let contentTypeOptions = name("X-Content-Type-Options")

    private static func name(_ text: String) -> HTTPField.Name {
      guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is a valid name") }
      return name
    }
  }
#endif
