#if Server
  internal import Basics
  internal import CloudModel
  internal import HTTPTypes
  internal import HummingbirdCore
  internal import NIOCore
  internal import Synchronization
  internal import WireFormat

  /// The answer to a request.
  struct Answer: Sendable {
    /// The status.
    var status = 200
    /// The headers, without the length of the body.
    var headers = HTTPFields()
    /// The body.
    var body: ResponseBody = .init()
    /// The code of an error, for the log and the counters; nil for success.
    var failure: String?
    /// Why the request, or an item of it, failed; nil if nothing did.
    var reason: String?
    /// Whether it is never sent.
    var isSilent = false
    /// The body, if it is JSON.
    private(set) var json: [UInt8]?

    /// An empty answer.
    init(status: Int = 200) { self.status = status }

    /// A JSON text.
    init(json bytes: [UInt8], status: Int = 200, reason: String? = nil) {
      (self.status, self.reason, json) = (status, reason, bytes)
      headers[.contentType] = "application/json; charset=UTF-8"
      body = ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    }

    /// A JSON object.
    init(_ members: [JSONMember], status: Int = 200) {
      var bytes: [UInt8] = []
      bytes.append(json: .object(members))
      self.init(json: bytes, status: status)
    }

    /// A text of another type.
    init(text: String, type: String, status: Int = 200) {
      self.status = status
      headers[.contentType] = type
      body = ResponseBody(byteBuffer: ByteBuffer(string: text))
    }
  }

  /// A request that fails as a whole (web-services.md, §5).
  struct WireFailure: Error {
    /// The status.
    var status: Int
    /// The code.
    var code: String
    /// The reason.
    var reason: String
    /// After how many seconds the client may try again.
    var retryAfter: Double?
    /// Where a person can sign in.
    var redirectURL: String?
    /// Whether the connection is closed: the rest of the request is not read.
    var closes = false
    /// Whether the connection is cut without an answer, as when the network fails.
    var isSilent = false

    /// A failure with a code of Web Services.
    init(_ code: WireCode, _ reason: String, closes: Bool = false) {
      (self.status, self.code, self.reason) = (code.status, code.rawValue, reason)
      self.closes = closes
    }

    /// A failure with a status of HTTP alone.
    init(status: Int, _ reason: String, closes: Bool = false) {
      (self.status, self.reason, self.closes) = (status, reason, closes)
      code = status < 500 ? WireCode.badRequest.rawValue : WireCode.internalError.rawValue
    }

    /// The failure of an operation.
    init(any error: any Error) {
      switch error {
      case let failure as WireFailure: self = failure
      case let error as CloudError:
        self.init(error.wireCode, error.wireReason)
        // Errors of this machine, such as a full disk, are not the client's.
        if error.storage != nil, status == 400 { (status, code) = (500, "INTERNAL_ERROR") }
        if case .busy? = error.storage { (status, code) = (503, "TRY_AGAIN_LATER") }
        retryAfter = error.retryAfter
        isSilent = error.code.isOfNetwork
      default: self.init(.internalError, "\(error)")
      }
    }

    /// The members of the answer's body.
    func members(_ request: RequestID) -> [JSONMember] {
      var members = [
        JSONMember("uuid", .string(request.text)),
        JSONMember("serverErrorCode", .string(code)), JSONMember("reason", .string(reason)),
      ]
      if let retryAfter { members.append(JSONMember(retryAfter: retryAfter)) }
      if let redirectURL { members.append(JSONMember("redirectURL", .string(redirectURL))) }
      return members
    }

    /// The answer.
    func answer(_ request: RequestID) -> Answer {
      var answer = Answer(members(request), status: status)
      if closes { answer.headers[.connection] = "close" }
      (answer.failure, answer.reason, answer.isSilent) = (code, reason, isSilent)
      return answer
    }
  }

  /// Ends a connection without an answer.
  struct ConnectionCut: Error {}

  extension CloudError.Code {
    /// Whether the client sees the error as a connection without an answer. Only injected faults
    /// have these codes.
    fileprivate var isOfNetwork: Bool {
      self == .networkFailure || self == .networkUnavailable || self == .serverResponseLost
    }
  }

  /// The identity of a request, in its answer and in the log: a UUID.
  struct RequestID: Sendable {
    /// The UUID.
    let text = Randomness.seeded(seed &+ UInt64(next.add(1, ordering: .relaxed).newValue))
      .uuid(purpose: [])

    /// Not a secret, so a seeded generator does; the system's costs a system call.
    private static let next = Atomic<Int>(0)
    private static let seed = UInt64.random(in: .min ... .max)
  }
#endif
