#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import WireFormat

  /// Uploaded contents, which records refer to by receipts. They are removed when the receipts
  /// expire or the server ends.
  final class UploadedAssets: Sendable {
    private let known = Locked<[String: Upload]>([:])
    /// How long a receipt is valid, as an upload URL (W7).
    static let life: Int64 = 900_000

    /// Uploaded contents.
    struct Upload: Sendable {
      let staged: StagedAsset
      let ticket: AssetTicket
      let expires: Int64
    }

    /// Adds contents; returns their receipt.
    func add(_ staged: StagedAsset, _ ticket: AssetTicket) -> String {
      let receipt = Base64.encode(SystemRandom.bytes(24))
      let upload = Upload(
        staged: staged, ticket: ticket, expires: Platform.monotonicMilliseconds + Self.life)
      known.withLock { $0[receipt] = upload }
      return receipt
    }

    /// The contents of a receipt, for a record of the zone that it was given for (W10.13); nil for
    /// none.
    func upload(_ receipt: String, in zone: ZoneID, _ call: Call) -> StagedAsset? {
      let upload = known.withLock { $0[receipt] }
      guard let upload, upload.ticket.container == call.container,
        upload.ticket.environment == call.environment, upload.ticket.zone.name == zone.name,
        upload.expires > Platform.monotonicMilliseconds
      else { return nil }
      return upload.staged
    }

    /// Removes and returns the uploads that have expired by a time; all for nil.
    func takeEnded(by time: Int64?) -> [Upload] {
      known.withLock { known in
        let ended = known.filter { upload in time.map { upload.value.expires <= $0 } ?? true }
        for receipt in ended.keys { known[receipt] = nil }
        return Array(ended.values)
      }
    }
  }

  /// Finds the uploaded contents of the records of a request.
  struct ReceiptReader {
    private let call: Call
    private let environment: CloudEnvironment
    private var staged: [StagedAsset] = []

    init(_ call: Call, _ environment: CloudEnvironment) {
      (self.call, self.environment) = (call, environment)
    }

    /// Adds the contents that the fields of an operation's record name by their receipts to a save.
    /// Throws `assetFileNotFound` for an unknown or expired receipt.
    mutating func stage(_ save: inout SaveRequest, of operation: WireObject) throws(CloudError) {
      guard let record = try operation.object("record"), let fields = record["fields"] else {
        return
      }
      var zone: ZoneID?
      for place in save.assignments.indices {
        let assignment = save.assignments[place]
        guard assignment.value?.assets.isEmpty == false,
          let value = fields[assignment.name.text]?["value"]
        else { continue }
        for item in value.array ?? [value] {
          guard let receipt = item["receipt"]?.string else { continue }
          if zone == nil { zone = try record.zoneID() }
          if zone == nil { zone = try call.zone() }
          let upload = call.server.uploads.upload(receipt, in: zone ?? .defaultZone, call)
          guard let upload, item["fileChecksum"]?.string == upload.asset.sha256 else {
            throw CloudError(.assetFileNotFound, "Invalid asset receipt")
          }
          let own = try environment.stage(again: upload)
          staged.append(own)
          save.assignments[place].staged.append(own)
        }
      }
    }

    /// Discards the contents that no record kept.
    func discardUnused() { staged.forEach(environment.discard) }
  }
#endif
