#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import WireFormat

  extension Endpoint {
    /// Assets: URLs for uploads, and assets that records share.
    static let assets = [
      Endpoint(
        "assets/upload", "Get URLs to upload the contents of assets to",
        keys: [
          RequestKey(
            "tokens",
            .list([
              RequestKey("fieldName", .text).required, RequestKey("recordType", .text),
              .recordName,
            ])
          ).required, .zone,
        ], result: "tokens", upload),
      Endpoint(
        "assets/rereference", "Get the dictionaries of assets, for other records",
        keys: [
          RequestKey(
            "assets",
            .list([.recordName.required, RequestKey("fieldName", .text).required])
          ).required, .zone,
        ], result: "assets", rereference),
    ]

    /// Answers with one URL for each item, in their order (W3.8).
    @Sendable private static func upload(
      _ call: Call, _ database: CloudDatabase
    ) throws -> Answer {
      try database.requireActor()
      let objects = try call.items("tokens")
      let zone = try call.zone()
      _ = try database.zone(zone)
      let tokens = try objects.map { object -> JSONValue in
        let field = try object.requiredText("fieldName")
        let name = try object.text("recordName") ?? RequestID().text
        let ticket = try AssetTicket.upload(call, zone, in: call.server.store)
        return .object([
          JSONMember("recordName", .string(name)), JSONMember("fieldName", .string(field)),
          JSONMember("url", .string("\(call.base)/assets/upload/\(ticket)")),
        ])
      }
      return Answer([JSONMember("tokens", .array(tokens))])
    }

    @Sendable private static func rereference(
      _ call: Call, _ database: CloudDatabase
    ) throws -> Answer {
      let (objects, zone) = (try call.body.requiredObjects("assets"), try call.zone())
      let names = try objects.map { try $0.recordName() }
      let results = try database.fetch(names, in: zone)
      let assets = try zip(objects, results).map { object, result -> JSONValue in
        let field = FieldName(stored: try object.requiredText("fieldName"))
        switch result {
        case .failure(let error): return .object(error.wireItem)
        case .record(let record):
          guard let asset = record.fields[field]?.assets.first else {
            return .object(
              CloudError(
                .unknownItem, "The record has no asset in '\(field.text)'",
                recordName: record.name.text
              ).wireItem)
          }
          return .object(AssetTicket.members(of: asset))
        }
      }
      return Answer([JSONMember("assets", .array(assets))])
    }
  }

  /// The URLs of assets: each is a ticket, which gives access to one upload or one asset.
  struct AssetTicket {
    let container: ContainerID
    let environment: Environment
    let zone: ZoneID
    /// The asset and the type of its record; nil for an upload.
    let asset: (Asset, RecordType)?

    private static let (uploading, downloading) = ("asset upload", "asset download")
    /// How long a download URL is valid.
    private static let downloadLife: Int64 = 86_400_000

    /// A ticket for one upload into a zone, valid for a quarter of an hour (W7).
    static func upload(
      _ call: Call, _ zone: ZoneID, in store: CloudStore
    ) throws(CloudError) -> String {
      let end = Platform.wallClockMilliseconds + UploadedAssets.life
      return try store.ticket(
        [
          String(end), call.container.text, call.environment.rawValue, zone.name.text,
          SystemRandom.bytes(6).hexadecimal,
        ], for: uploading)
    }

    /// A ticket for an asset of a record.
    static func download(
      _ asset: Asset, of record: Record, _ call: Call
    ) throws(CloudError) -> String {
      let end = Platform.wallClockMilliseconds + downloadLife
      return try call.server.store.ticket(
        [
          String(end), call.container.text, call.environment.rawValue, record.zone.name.text,
          record.type.text, asset.sha256, String(asset.size),
        ], for: downloading)
    }

    /// Reads a ticket. Throws `WireFailure` for an invalid or expired one.
    init(_ text: String, isUpload: Bool, in store: CloudStore) throws {
      let fields = try store.fields(of: text, for: isUpload ? Self.uploading : Self.downloading)
      guard let fields, fields.count == (isUpload ? 5 : 7), let end = Int64(fields[0]),
        let environment = Environment(rawValue: fields[2])
      else { throw WireFailure(status: 404, "The URL is not one of this server") }
      guard end > Platform.wallClockMilliseconds else {
        throw WireFailure(status: 410, "The URL has expired")
      }
      container = try ContainerID(fields[1])
      self.environment = environment
      zone = ZoneID(stored: fields[3])
      if isUpload {
        asset = nil
      } else {
        guard let size = Int64(fields[6]), let asset = Asset(sha256: fields[5], size: size) else {
          throw WireFailure(status: 404, "The URL is not one of this server")
        }
        self.asset = (asset, RecordType(stored: fields[4]))
      }
    }

    /// The dictionary of an asset, without what gives access to it.
    static func members(of asset: Asset) -> [JSONMember] {
      [
        JSONMember("fileChecksum", .string(asset.sha256)), JSONMember("size", .int(asset.size)),
      ]
    }
  }

  /// What the assets of a record have in an answer besides their checksums.
  struct AssetLinks: Sendable {
    private let call: Call
    private let record: Record

    /// Nil for a record without assets.
    init?(_ call: Call, _ record: Record) {
      guard record.fields.entries.contains(where: { !$0.value.assets.isEmpty }) else { return nil }
      (self.call, self.record) = (call, record)
    }

    /// `downloadURL`, with a placeholder that a client may replace by a file's name.
    @Sendable func members(_ asset: Asset) -> [JSONMember] {
      guard let ticket = try? AssetTicket.download(asset, of: record, call) else { return [] }
      return [JSONMember("downloadURL", .string("\(call.base)/assets/\(ticket)/${f}"))]
    }
  }
#endif
