#if Server
  internal import Basics
  internal import Logging

  /// The log: a line for each request on standard error, as text or JSON, through swift-log.
  struct RequestLog: Sendable {
    private let form: ServerSettings.LogForm
    private let logger: Logger

    init(_ form: ServerSettings.LogForm) {
      self.form = form
      logger = Logger(label: "ckdb") { _ in LineLogHandler() }
    }

    /// Writes the line of a request.
    func write(_ record: RequestRecord) {
      switch form {
      case .text: logger.info("\(record.text)")
      case .json: logger.info("\(record.json(with: []).text)")
      case .none: break
      }
    }
  }

  /// Writes each message as a line of its own.
  private struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      var line = Array("\(event.message)".utf8)
      line.append(UInt8(ascii: "\n"))
      try? FileHandle(descriptor: 2, path: "standard error", closesAtEnd: false).writeAll(line)
    }
  }
#endif
