#if Server
  internal import HTTPTypes
  internal import NIOCore
  internal import NIOHTTP1
  internal import NIOHTTPTypes

  /// Keeps a connection within its limits: of time for a request, and of what may follow an answer
  /// that closes it. Names the fault of what is no HTTP.
  final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// How long the head of the first request may take.
    private static let headSeconds: Int64 = 10
    /// How long a connection may wait for its next request.
    private static let idleSeconds: Int64 = 60
    /// How long a piece of a body may take.
    private static let bodySeconds: Int64 = 30
    /// How long a connection that closes still reads, so that the client gets the answer.
    private static let lingerSeconds: Int64 = 1

    /// When the connection is closed unless something comes.
    private var deadline = NIODeadline.distantFuture
    private var timer: RepeatedTask?
    private var isClosing = false
    private var hasFailed = false
    private var isAnswering = false

    func channelActive(context: ChannelHandlerContext) {
      expect(within: Self.headSeconds)
      let bound = NIOLoopBound((guard: self, context: context), eventLoop: context.eventLoop)
      // One timer for the connection: a timer for each request would cost more than its parsing.
      timer = context.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1))
      { _ in
        let (guardian, context) = bound.value
        if NIODeadline.now() > guardian.deadline { context.close(mode: .all, promise: nil) }
      }
      context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
      timer?.cancel()
      context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      // What follows an answer that closes the connection is read and thrown away.
      if isClosing { return }
      switch unwrapInboundIn(data) {
      case .head, .body: expect(within: Self.bodySeconds)
      case .end: deadline = .distantFuture
      }
      context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      guard error is HTTPParserError || "\(error)".contains("HTTPDecoder") else {
        return context.fireErrorCaught(error)
      }
      refuse("\(error)", context)
    }

    func write(
      context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
      switch unwrapOutboundIn(data) {
      case .head(let head):
        isAnswering = true
        isClosing = isClosing || head.headerFields[.connection] == "close"
        context.write(data, promise: promise)
      case .body: context.write(data, promise: promise)
      case .end:
        isAnswering = false
        context.write(data, promise: promise)
        if isClosing { linger(context) } else { expect(within: Self.idleSeconds) }
      }
    }

    /// Closes the connection unless something comes in time.
    private func expect(within seconds: Int64) { deadline = .now() + .seconds(seconds) }

    /// Answers what is no request, and closes.
    private func refuse(_ fault: String, _ context: ChannelHandlerContext) {
      guard !hasFailed, !isAnswering else {
        context.close(promise: nil)
        return
      }
      (hasFailed, isClosing) = (true, true)
      let body = WireFailure(status: 400, "the request is not HTTP: \(fault)").text
      var head = HTTPResponse(status: .badRequest)
      head.headerFields[.contentType] = "application/json; charset=UTF-8"
      head.headerFields[.contentLength] = String(body.utf8.count)
      head.headerFields[.connection] = "close"
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.write(
        wrapOutboundOut(.body(context.channel.allocator.buffer(string: body))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      linger(context)
    }

    /// Ends the output, and the input after a moment: a connection that is closed with unread input
    /// is reset, and the client may lose the answer.
    private func linger(_ context: ChannelHandlerContext) {
      context.flush()
      expect(within: Self.lingerSeconds)
    }
  }

  extension WireFailure {
    /// The failure as the text of an answer.
    fileprivate var text: String {
      let reason = self.reason.filter { $0 != "\"" && $0 != "\\" }
      return #"{"uuid":"\#(RequestID().text)","serverErrorCode":"\#(code)","reason":"\#(reason)"}"#
    }
  }
#endif
