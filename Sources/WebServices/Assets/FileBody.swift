#if Server
  internal import Basics
  internal import HummingbirdCore
  internal import NIOCore
  internal import NIOHTTP1
  internal import NIOHTTPTypesHTTP1

  /// The contents of an open file, as the body of an answer, whose task alone reads it.
  struct FileBody: @unchecked Sendable {
    private let file: FileHandle
    /// The connection, if the kernel can copy the file to it.
    private let channel: (any NIOCore.Channel)?

    /// The most bytes in memory.
    private static let pieceBytes = 65_536

    /// `channel` is nil for a connection that is encrypted.
    init(_ file: FileHandle, channel: (any NIOCore.Channel)?) {
      (self.file, self.channel) = (file, channel)
    }

    /// A part of the contents.
    func body(_ range: Range<Int64>) -> ResponseBody {
      ResponseBody(contentLength: range.count) { writer in
        if let channel {
          try await send(range, over: channel)
        } else {
          var rest = range
          while !rest.isEmpty {
            let piece = try piece(of: rest)
            rest = (rest.lowerBound + Int64(piece.readableBytes))..<rest.upperBound
            try await writer.write(piece)
          }
        }
        try await writer.finish(nil)
      }
    }

    private func piece(of range: Range<Int64>) throws -> ByteBuffer {
      let size = min(Self.pieceBytes, range.count)
      var piece = ByteBufferAllocator().buffer(capacity: size)
      let count = try piece.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { bytes in
        try file.read(
          into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<size]), at: range.lowerBound)
      }
      guard count > 0 else { throw WireFailure(status: 500, "the contents ended early") }
      return piece
    }

    /// Has the kernel copy the file to the connection (sendfile(2)). Answers have no part for that
    /// in HTTPTypes, so it enters the pipeline below their codec.
    private func send(_ range: Range<Int64>, over channel: any NIOCore.Channel) async throws {
      let loop = channel.eventLoop
      try await loop.flatSubmit {
        let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: file.descriptor)
        let region = FileRegion(
          fileHandle: handle, readerIndex: Int(range.lowerBound), endIndex: Int(range.upperBound))
        let sent = loop.makePromise(of: Void.self)
        do {
          let codec = try channel.pipeline.syncOperations.context(
            handlerType: HTTP1ToHTTPServerCodec.self)
          codec.writeAndFlush(
            NIOAny(HTTPServerResponsePart.body(.fileRegion(region))), promise: sent)
        } catch { sent.fail(error) }
        let watch = closeIfShort(range.upperBound, channel)
        return sent.futureResult.always { _ in
          watch.cancel()
          // The descriptor is the file's.
          _ = try? handle.takeDescriptorOwnership()
        }
      }.get()
    }

    /// Closes the connection if a program truncates the file meanwhile: NIO would try for ever to
    /// send what is no longer there.
    private func closeIfShort(_ end: Int64, _ channel: any NIOCore.Channel) -> RepeatedTask {
      channel.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
        if let state = try? file.state(), state.size >= end { return }
        channel.close(promise: nil)
      }
    }
  }
#endif
