#if Server
  internal import CloudModel
  internal import HTTPTypes
  internal import HummingbirdCore
  internal import NIOCore

  /// Uploads and downloads: `/assets/…`.
  extension RequestHandler {
    func asset(
      _ request: HummingbirdCore.Request, _ parts: [String], _ channel: any NIOCore.Channel,
      _ visit: inout Visit
    ) async throws -> Answer {
      let head = request.head
      let isUpload = parts.count == 3 && parts[1] == "upload"
      guard isUpload || (2...3).contains(parts.count) else {
        throw WireFailure(status: 404, "The URL is not one of this server")
      }
      visit.path = isUpload ? "/assets/upload" : "/assets"
      visit.endpoint = visit.path
      let ticket = try AssetTicket(
        isUpload ? parts[2] : parts[1], isUpload: isUpload, in: server.store)
      // The ticket in the URL gives access: a page may show an image without an origin.
      if head.headerFields[.origin] != nil {
        try checkOrigin(head.headerFields, nil, &visit, anyToken: true)
      }
      let transfers = AssetTransfers(
        server: server, channel: channel, request: self.request(for: nil, nil, channel))
      switch head.method {
      case .options: return Answer()
      case .post where isUpload, .put where isUpload:
        guard !server.settings.isReadOnly else {
          throw WireFailure(.accessDenied, "the server is read-only", closes: true)
        }
        return try await transfers.upload(ticket, request.body)
      case .get where !isUpload, .head where !isUpload:
        let answer = Result {
          try transfers.download(
            ticket, parts.count == 3 ? parts[2] : "", head.headerFields,
            hasBody: head.method == .get)
        }
        try await delay(transfers.request)
        return try answer.get()
      default:
        var answer = WireFailure(status: 405, "the method is not allowed").answer(visit.id)
        answer.headers[.allow] = isUpload ? "POST, OPTIONS" : "GET, HEAD, OPTIONS"
        return answer
      }
    }
  }
#endif
