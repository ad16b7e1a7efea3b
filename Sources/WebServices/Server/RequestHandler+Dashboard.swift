#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import Dashboard
  internal import HTTPTypes
  internal import HummingbirdCore
  internal import NIOCore

  extension RequestHandler {
    /// The maximum size of a form without files, in bytes.
    private static let formBytes = 1 << 20
    /// The maximum size of a form with files, which are written to the disk.
    private static let filesBytes: Int64 = 1 << 30

    /// Answers a request for a page of the dashboard.
    func dashboard(
      _ request: HummingbirdCore.Request, _ parts: [String], _ target: RequestTarget,
      _ channel: any NIOCore.Channel, _ visit: inout Visit
    ) async throws -> Answer {
      visit.endpoint = "dashboard"
      let head = request.head
      let isForm = head.method == .post
      guard isForm || head.isReading else { throw Self.unknown(head, target) }
      if isForm { try requireOwnForm(head, visit) } else { try requirePlain(head, visit) }
      let cookie = head.headerFields.cookie(cookieName(channel))
      // Without a session, only the form with the code is read, which is short.
      let mayPost = parts == ["open"] || server.dashboard.hasSession(cookie)
      let form = isForm && mayPost ? try await form(of: request, parts) : FormFields()
      let query = target.raw.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
      let name = cookieName(channel)
      let server = server
      let isStream = !isForm && ["commits", "events"].contains(parts.last)
      let served = Locked<[CloudServices.Request]>([])
      let asked = DashboardRequest(
        isForm: isForm, path: parts, query: FormFields(query), form: form,
        origin: String(visit.origin), cookie: cookie,
        lastEvent: head.headerFields[.lastEventID], server: ServerView(server: server)
      ) { account, device in
        let request = server.request(for: account, device: device) {
          channel.isActive && !server.stopsWork
        }
        // A stream makes requests without an end.
        if !isStream { served.withLock { $0.append(request) } }
        return request
      }
      if !isForm, parts.count == 4, parts[3] == "commits" { return try commits(asked, channel) }
      if !isForm, parts.count == 5, parts[3...] == ["live", "events"] {
        return try await live(asked, channel)
      }
      let answer = server.dashboard.answer(asked)
      visit.served = served.withLock(\.self)
      return self.answer(answer, cookie: name, channel)
    }

    /// Sends an event after each commit to the environment of a page, by any process.
    private func commits(
      _ request: DashboardRequest, _ channel: any NIOCore.Channel
    ) throws -> Answer {
      guard let file = server.dashboard.commitFile(request) else {
        throw WireFailure(.notFound, "no such page")
      }
      let known = Locked(FileSystem.version(of: file))
      return events(of: file, upTo: Self.pause, channel) {
        let now = FileSystem.version(of: file)
        return known.withLock { known in
          defer { known = now }
          return now == known ? nil : "data: commit\n\n"
        }
      }
    }

    /// Sends what a live page shows, from all processes.
    private func live(
      _ request: DashboardRequest, _ channel: any NIOCore.Channel
    ) async throws -> Answer {
      let server = server
      guard let feed = try await server.onThreads({ try server.dashboard.liveFeed(request) }) else {
        throw WireFailure(.notFound, "no such page")
      }
      return events(of: feed.commitFile, upTo: Self.rest, channel) {
        // Work of the store must not hold the event loop of a connection.
        let text = try await server.onThreads { try feed.next() }
        // What comes meanwhile is sent together.
        try await Task.sleep(for: .milliseconds(Self.rest))
        return text
      }
    }

    /// Sends the events of a page until the browser leaves: what `next` returns after a commit to a
    /// file, or after some milliseconds.
    private func events(
      of file: String, upTo milliseconds: Int64, _ channel: any NIOCore.Channel,
      _ next: @escaping @Sendable () async throws -> String?
    ) -> Answer {
      let server = server
      var answer = Answer()
      answer.headers[.contentType] = "text/event-stream"
      answer.headers[.cacheControl] = "no-store"
      answer.body = ResponseBody { writer in
        var last = Platform.monotonicMilliseconds
        try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
        while channel.isActive, !server.isEnding {
          let time = Platform.monotonicMilliseconds
          if let text = try await next() {
            try await writer.write(ByteBuffer(string: text))
            last = time
          } else if time - last > Self.pause {
            // A comment from time to time finds out whether the browser has left.
            try await writer.write(ByteBuffer(string: ":\n\n"))
            last = time
          }
          await server.commits.wait(for: file, upTo: milliseconds, server)
        }
        try await writer.finish(nil)
      }
      return answer
    }

    /// The longest time without a sign of life on a connection with events, in milliseconds.
    private static var pause: Int64 { 15_000 }
    /// The time between two sets of live events, in milliseconds.
    private static var rest: Int64 { 150 }

    /// The fields of a posted form, and its files.
    private func form(
      of request: HummingbirdCore.Request, _ parts: [String]
    ) async throws -> FormFields {
      if parts == ["open"] { return FormFields(try await body(of: request, upTo: 4096)) }
      let type = request.headers[.contentType] ?? ""
      guard var parser = MultipartParser(contentType: type, in: server.store.path) else {
        return FormFields(try await body(of: request, upTo: Self.formBytes))
      }
      var size: Int64 = 0
      do {
        for try await piece in request.body {
          size += Int64(piece.readableBytes)
          guard size <= Self.filesBytes else { throw MultipartParser.Failure.tooLarge }
          try parser.add(piece.readableBytesView)
        }
        return try parser.finish()
      } catch let failure as MultipartParser.Failure {
        switch failure {
        case .tooLarge: throw WireFailure(status: 413, "the form is too large", closes: true)
        case .malformed: throw WireFailure(status: 400, "the form is not complete", closes: true)
        }
      }
    }

    /// Named after the port: a browser sends a cookie to all ports of a host (RFC 6265, §8.5).
    private func cookieName(_ channel: any NIOCore.Channel) -> String {
      "ckdb-\(channel.localAddress?.port ?? 0)"
    }

    private func answer(
      _ answer: DashboardAnswer, cookie name: String, _ channel: any NIOCore.Channel
    ) -> Answer {
      var sent = Answer(status: answer.status)
      sent.headers[.contentType] = answer.type
      if let contents = answer.contents {
        sent.body = FileBody(contents.file, server, channel).body(0..<contents.size)
        sent.headers[.contentLength] = "\(contents.size)"
      } else {
        sent.body = ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
      }
      if let fileName = answer.fileName {
        sent.headers[.contentDisposition] = "attachment; filename=\"\(fileName)\""
      }
      sent.headers[.location] = answer.location
      if let value = answer.cookie {
        let path = server.settings.basePath + "/"
        let secure = server.settings.isSecure ? "; Secure" : ""
        sent.headers[.setCookie] =
          "\(name)=\(value); Path=\(path); HttpOnly; SameSite=Strict\(secure)"
      }
      // Contents of records never run.
      sent.headers[.contentSecurityPolicy] =
        answer.contents != nil
        ? "default-src 'none'; sandbox; frame-ancestors 'none'"
        : "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
          + "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
      sent.headers[.cacheControl] = answer.isKept ? "no-cache" : "no-store"
      sent.headers[.referrerPolicy] = "same-origin"
      return sent
    }
  }

  extension HTTPFields {
    /// The value of a cookie; nil for none.
    fileprivate func cookie(_ name: String) -> String? {
      for field in self[values: .cookie] {
        for pair in field.split(separator: ";") {
          let text = pair.drop { $0 == " " }
          if text.hasPrefix("\(name)=") { return String(text.dropFirst(name.count + 1)) }
        }
      }
      return nil
    }
  }
#endif
