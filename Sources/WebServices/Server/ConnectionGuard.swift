#if Server
  internal import Basics
  internal import HTTPTypes
  internal import NIOCore
  internal import NIOHTTP1
  internal import NIOHTTPTypes

  /// Enforces the limits of a connection: the time for a request, and the input after an answer
  /// that closes it. Answers input that is not HTTP with the parser's error.
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
    /// How long a client that has closed its side may wait for the head of an answer. Such a client
    /// may still be reading, but most have disconnected, and their work must stop.
    private static let closedSeconds: Int64 = 1

    /// When the connection is closed unless something comes.
    private var deadline = NIODeadline.distantFuture
    private var timer: RepeatedTask?
    private var isClosing = false
    private var hasFailed = false
    private var isAnswering = false
    private var isInputClosed = false

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
      // After an answer that closes the connection, discard the input.
      if isClosing { return }
      switch unwrapInboundIn(data) {
      case .head, .body: expect(within: Self.bodySeconds)
      case .end: deadline = .distantFuture
      }
      context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
      if case ChannelEvent.inputClosed? = event as? ChannelEvent {
        isInputClosed = true
        if !isAnswering { expect(within: Self.closedSeconds) }
      }
      context.fireUserInboundEventTriggered(event)
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
        if isInputClosed { deadline = .distantFuture }
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

    /// Answers input that is not a request, and closes the connection.
    private func refuse(_ fault: String, _ context: ChannelHandlerContext) {
      guard !hasFailed, !isAnswering else {
        context.close(promise: nil)
        return
      }
      (hasFailed, isClosing) = (true, true)
      let failure = WireFailure(status: 400, "the request is not HTTP: \(fault)")
      let body = JSONValue.object(failure.members(RequestID())).text
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

    /// Keeps reading for a moment before closing: closing with unread input resets the connection,
    /// and the client may lose the answer.
    private func linger(_ context: ChannelHandlerContext) {
      context.flush()
      expect(within: Self.lingerSeconds)
    }
  }
#endif
