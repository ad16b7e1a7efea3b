#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// What the server is started with. `ckdb serve` writes it as JSON, and passes it on.
  public struct ServerSettings: Sendable {
    /// The store's directory.
    var storePath: String
    /// A folder that is removed at the end; nil for none.
    var removedFolder: String?
    /// Whether the store is the server's own, which tests may reset.
    var isOwn: Bool
    /// The address to listen on.
    var host: String
    /// The port; 0 for any free one.
    var port: Int
    /// A socket in the file system instead of an address.
    var socket: String?
    /// What comes before every path: empty, or `/api`.
    var basePath: String
    /// The certificate and the key, as PEM files; nil for none.
    var certificate: (chain: String, key: String)?
    /// Whether the server makes a certificate for localhost.
    var makesCertificate: Bool
    /// Whether nothing may change.
    var isReadOnly: Bool
    /// Whether tests may reset the store although it is not the server's own.
    var allowsReset: Bool
    /// Whether to open the dashboard in a browser.
    var opensDashboard: Bool
    /// Whether to refuse what CloudKit would refuse (`--strict`).
    var isStrict: Bool
    /// The origins whose pages may send requests, besides those of this machine.
    var origins: [String]
    /// The form of the log.
    var log: LogForm
    /// A file for the ready line.
    var readyFile: String?
    /// Whether the ready line is a JSON object.
    var writesReadyJSON: Bool
    /// The fixed time; nil for the system's clock.
    var clock: Timestamp?
    /// The seed of randomness; nil for none.
    var seed: UInt64?
    /// How long a write waits for other processes, in milliseconds.
    var waitMilliseconds: Int64

    /// The forms of the log.
    enum LogForm: String, Sendable { case text, json, none }

    /// Reads what `ckdb serve` passes on. Nil for anything else.
    public init?(_ text: String) {
      guard let json = try? JSONParser.parse(text), case .object = json else { return nil }
      func flag(_ name: String) -> Bool { json[name] == .bool(true) }
      func texts(_ name: String) -> [String] { (json[name]?.array ?? []).compactMap(\.string) }
      func number(_ name: String) -> Int64? {
        if case .int(let number)? = json[name] { number } else { nil }
      }
      guard let path = json["store"]?.string else { return nil }
      storePath = path
      removedFolder = json["removes"]?.string
      isOwn = flag("isOwn")
      host = json["host"]?.string ?? "127.0.0.1"
      port = Int(number("port") ?? 8321)
      socket = json["unix"]?.string
      basePath = json["basePath"]?.string ?? ""
      if let chain = json["tlsCert"]?.string, let key = json["tlsKey"]?.string {
        certificate = (chain, key)
      }
      makesCertificate = flag("tls")
      isReadOnly = flag("readOnly")
      allowsReset = flag("allowReset")
      opensDashboard = flag("open")
      isStrict = flag("strict")
      origins = texts("origins")
      log = json["log"]?.string.flatMap { LogForm(rawValue: $0) } ?? .text
      readyFile = json["readyFile"]?.string
      writesReadyJSON = flag("json")
      clock = number("clock").map { Timestamp(milliseconds: $0) }
      seed = json["seed"]?.string.flatMap { UInt64($0) }
      waitMilliseconds = number("wait") ?? 60_000
    }

    /// Whether the server has TLS.
    var isSecure: Bool { certificate != nil || makesCertificate }
  }
#endif
