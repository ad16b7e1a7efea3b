#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import HTTPTypes
  internal import HummingbirdCore
  internal import NIOCore

  /// Uploads and downloads of contents, of which at most 64 KB are in memory.
  struct AssetTransfers {
    let server: WebServer
    /// The connection.
    let channel: any NIOCore.Channel
    /// The request that services get.
    let request: CloudServices.Request

    // MARK: Uploads

    /// Takes the contents of an upload, and answers with their receipt.
    func upload(_ ticket: AssetTicket, _ body: RequestBody) async throws -> Answer {
      let upload = try server.environments.with(
        ticket.container, ticket.environment, for: request
      ) { try $0.beginUpload() }
      let limit = server.settings.isStrict ? Limits.assetSize : nil
      for try await piece in body {
        if let limit, upload.size + Int64(piece.readableBytes) > limit {
          throw WireFailure(
            status: 413, "The asset has more than \(limit) bytes", closes: true)
        }
        try piece.withUnsafeReadableBytes { try upload.write($0) }
      }
      let staged = try upload.finish()
      let receipt = server.uploads.add(staged, ticket)
      return Answer([
        JSONMember(
          "singleFile",
          .object(
            AssetTicket.members(of: staged.asset) + [
              JSONMember("receipt", .string(receipt)),
              JSONMember("wrappingKey", .string(Base64.encode(SystemRandom.bytes(16)))),
              JSONMember("referenceChecksum", .string(staged.asset.sha256)),
            ]))
      ])
    }

    // MARK: Downloads

    /// Sends contents, or a part of them. `name` is that of the file in the URL.
    func download(
      _ ticket: AssetTicket, _ name: String, _ headers: HTTPFields, hasBody: Bool
    ) throws -> Answer {
      guard let (asset, type) = ticket.asset else {
        throw WireFailure(status: 404, "The URL is not one of this server")
      }
      let file = try server.environments.with(
        ticket.container, ticket.environment, for: request
      ) { environment in
        try environment.requireAssets(
          of: Record(name: RecordName(stored: ""), type: type, zone: ticket.zone))
        let file = try environment.open(asset)
        try server.verified.check(file, asset) { try environment.verify(asset) }
        return FileBody(file, server, channel)
      }
      var answer = Answer()
      let tag = "\"\(asset.sha256)\""
      answer.headers = Self.headers(name, tag)
      if headers[.ifNoneMatch]?.contains(tag) == true {
        answer.status = 304
        return answer
      }
      var range = 0..<asset.size
      let isSame = headers[.ifRange].map { $0 == tag } ?? true
      if isSame, let asked = headers[.range].flatMap({ ByteRange($0) }) {
        guard let part = asked.part(of: asset.size) else {
          answer.status = 416
          answer.headers[.contentRange] = "bytes */\(asset.size)"
          return answer
        }
        range = part
        answer.status = 206
        answer.headers[.contentRange] =
          "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(asset.size)"
      }
      answer.headers[.contentLength] = "\(range.count)"
      if hasBody { answer.body = file.body(range) }
      return answer
    }

    /// Contents are data of other people: a browser must neither run nor guess at them (T15).
    private static func headers(_ name: String, _ tag: String) -> HTTPFields {
      var headers = HTTPFields()
      headers[.contentType] = MediaType.of(name)
      headers[.contentTypeOptions] = "nosniff"
      headers[.contentSecurityPolicy] = "default-src 'none'; sandbox"
      headers[.contentDisposition] = "attachment"
      if name != "${f}", !name.isEmpty {
        let safe = name.utf8.allSatisfy { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        if safe, name.utf8.allSatisfy({ $0 < 0x80 }) {
          headers[.contentDisposition] = "attachment; filename=\"\(name)\""
        }
      }
      headers[.acceptRanges] = "bytes"
      headers[.eTag] = tag
      headers[.cacheControl] = "private, max-age=3600"
      return headers
    }
  }

  /// A range of bytes in a request: one range of `bytes=`; others are ignored, as HTTP allows.
  struct ByteRange {
    private let first: Int64?
    private let last: Int64?

    /// Parses `bytes=0-499`, `bytes=500-` or `bytes=-500`; nil for other text.
    init?(_ text: String) {
      guard text.hasPrefix("bytes=") else { return nil }
      let sides = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
      guard sides.count == 2, sides.contains(where: { !$0.isEmpty }) else { return nil }
      func number(_ side: Substring) -> Int64? {
        side.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int64(side) : nil
      }
      (first, last) = (number(sides[0]), number(sides[1]))
      if !sides[0].isEmpty, first == nil || !sides[1].isEmpty && last == nil { return nil }
      if let first, let last, last < first { return nil }
    }

    /// The bytes of contents of a size; nil if there are none.
    func part(of size: Int64) -> Range<Int64>? {
      guard let first else {
        guard let last, last > 0, size > 0 else { return nil }
        return max(0, size - last)..<size
      }
      guard first < size else { return nil }
      return first..<min(size, (last ?? size - 1) + 1)
    }
  }

  /// The types of contents that browsers may show, by the end of a file's name. Types that can run
  /// scripts (HTML, SVG) are left out.
  enum MediaType {
    private static let known = [
      "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
      "webp": "image/webp", "heic": "image/heic", "pdf": "application/pdf", "mp3": "audio/mpeg",
      "m4a": "audio/mp4", "wav": "audio/wav", "mp4": "video/mp4", "mov": "video/quicktime",
      "txt": "text/plain; charset=UTF-8", "json": "application/json", "zip": "application/zip",
    ]

    /// The type of a file.
    static func of(_ name: String) -> String {
      let end = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
      return known[end] ?? "application/octet-stream"
    }
  }

  /// Which files were found intact: each is read as a whole before its first download, and then
  /// only if it changed.
  final class VerifiedFiles: Sendable {
    private let known = Locked<[String: FileHandle.State]>([:])
    private static let most = 10_000

    /// Calls `verify` for a file that is new or has changed, and rethrows its errors.
    func check(_ file: FileHandle, _ asset: Asset, _ verify: () throws -> Void) throws {
      let state = try file.state()
      if known.withLock({ $0[asset.sha256] == state }) { return }
      try verify()
      known.withLock { known in
        if known.count >= Self.most { known.removeAll() }
        known[asset.sha256] = state
      }
    }
  }
#endif
