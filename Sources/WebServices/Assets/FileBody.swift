#if Server
  internal import Basics
  internal import HummingbirdCore
  internal import NIOCore
  internal import NIOHTTP1
  internal import NIOHTTPTypesHTTP1

  /// The contents of an open file, as the body of an answer, whose task alone reads it.
  struct FileBody: @unchecked Sendable {
    private let file: FileHandle
    private let server: WebServer
    private let channel: any NIOCore.Channel

    /// The most bytes in memory.
    private static let pieceBytes = 65_536
    /// The most bytes that the kernel sends at once, reading from the disk on an event loop.
    private static let partBytes = 1 << 20

    /// `channel` is the connection.
    init(_ file: FileHandle, _ server: WebServer, _ channel: any NIOCore.Channel) {
      (self.file, self.server, self.channel) = (file, server, channel)
    }

    /// A part of the contents.
    func body(_ range: Range<Int64>) -> ResponseBody {
      ResponseBody(contentLength: range.count) { writer in
        if server.settings.isSecure {
          for part in range.parts(of: Self.pieceBytes) {
            try await writer.write(server.onThreads { try piece(part) })
          }
        } else {
          try await send(range)
        }
        try await writer.finish(nil)
      }
    }

    private func piece(_ range: Range<Int64>) throws -> ByteBuffer {
      var piece = ByteBufferAllocator().buffer(capacity: range.count)
      let count = try piece.writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) {
        try file.read(
          into: UnsafeMutableRawBufferPointer(rebasing: $0[..<range.count]), at: range.lowerBound)
      }
      guard count == range.count else {
        throw WireFailure(status: 500, "the contents ended early")
      }
      return piece
    }

    /// Has the kernel copy the file to the connection (sendfile(2)).
    private func send(_ range: Range<Int64>) async throws {
      let watch = closeIfShort(range.upperBound)
      defer { watch.cancel() }
      try await withTaskCancellationHandler {
        for part in range.parts(of: Self.partBytes) { try await send(part: part) }
      } onCancel: {
        channel.close(promise: nil)
      }
    }

    /// Answers have no part for a region of a file in HTTPTypes, so it enters the pipeline below
    /// their codec.
    private func send(part: Range<Int64>) async throws {
      try await channel.eventLoop.flatSubmit {
        let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: file.descriptor)
        let region = FileRegion(
          fileHandle: handle, readerIndex: Int(part.lowerBound), endIndex: Int(part.upperBound))
        let sent = channel.eventLoop.makePromise(of: Void.self)
        do {
          let codec = try channel.pipeline.syncOperations.context(
            handlerType: HTTP1ToHTTPServerCodec.self)
          codec.writeAndFlush(
            NIOAny(HTTPServerResponsePart.body(.fileRegion(region))), promise: sent)
        } catch { sent.fail(error) }
        // The descriptor is the file's.
        return sent.futureResult.always { _ in _ = try? handle.takeDescriptorOwnership() }
      }.get()
    }

    /// Closes the connection if a program truncates the file during the download: NIO would retry
    /// the missing bytes forever.
    private func closeIfShort(_ end: Int64) -> RepeatedTask {
      channel.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
        if let state = try? file.state(), state.size >= end { return }
        channel.close(promise: nil)
      }
    }
  }

  extension Range<Int64> {
    /// The range in parts of a size, of which the last may be smaller.
    fileprivate func parts(of size: Int) -> [Range] {
      stride(from: lowerBound, to: upperBound, by: size).map {
        $0..<Swift.min($0 + Int64(size), upperBound)
      }
    }
  }
#endif
