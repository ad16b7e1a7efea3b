internal import Basics
internal import CloudModel
internal import CloudServices
internal import WireFormat

/// Uploads the assets of records, several at a time.
struct AssetUploads {
  private let remote: RemoteDatabase
  private let copy: RemoteCopy
  /// The server's dictionaries, by record, field and contents.
  private(set) var receipts: [Use: JSONValue] = [:]
  private(set) var count = 0

  /// A use of an asset: each field gets a receipt of its own.
  struct Use: Hashable {
    let record: RecordName
    let field: FieldName
    let asset: Asset
  }

  init(_ remote: RemoteDatabase, _ copy: RemoteCopy) { (self.remote, self.copy) = (remote, copy) }

  /// Uploads the assets that records have and the server has not.
  mutating func upload(_ records: [SentRecord], in zone: ZoneID) throws {
    receipts.removeAll()
    var uses: [(use: Use, type: RecordType)] = []
    for sent in records where !sent.hasKnownAssets {
      for entry in sent.record.fields.entries {
        for asset in Set(entry.value.assets) {
          uses.append(
            (Use(record: sent.record.name, field: entry.name, asset: asset), sent.record.type))
        }
      }
    }
    while !uses.isEmpty {
      let part = Array(uses.prefix(Limits.wireOperations))
      uses.removeFirst(part.count)
      try upload(part, in: zone)
    }
  }

  private mutating func upload(_ uses: [(use: Use, type: RecordType)], in zone: ZoneID) throws {
    let urls = try remote.uploadURLs(
      for: uses.map { ($0.use.record, $0.type, $0.use.field) }, in: zone)
    let found = Locked<[Use: JSONValue]>([:])
    let paths = uses.map { copy.path(of: $0.use.asset) }
    let uploads = uses.map(\.use)
    let client = remote.client
    try inParallel(uploads.count) { place in
      let receipt = try client.upload(paths[place], to: urls[place])
      found.withLock { $0[uploads[place]] = receipt }
    }
    let new = found.withLock { $0 }
    count += new.count
    receipts.merge(new) { $1 }
    try copy.note(
      assets: new.compactMap { use, receipt in
        receipt["fileChecksum"]?.string.map {
          (RemoteFile(checksum: $0, size: use.asset.size, url: nil), use.asset)
        }
      })
  }
}

extension RemoteDatabase {
  /// Where the assets of fields can be uploaded, in the same order.
  func uploadURLs(
    for fields: [(RecordName, RecordType, FieldName)], in zone: ZoneID
  ) throws -> [String] {
    var body = Array("{\"tokens\":".utf8)
    body.append(jsonList: fields, "[", "]") { bytes, field in
      bytes.append(
        text: "{\"recordName\":\(quoted: field.0.text),\"recordType\":\(quoted: field.1.text),"
          + "\"fieldName\":\(quoted: field.2.text)}")
    }
    body.append(text: ",\"zoneID\":")
    body.append(contentsOf: zone.wire)
    body.append(text: "}")
    let tokens = try client.ask(scope, "assets/upload", body).requiredObjects("tokens")
    if let error = tokens.lazy.compactMap({ RemoteError($0) }).first { throw error }
    guard tokens.count == fields.count else {
      throw RemoteFailure(
        .permanent, "\(client.host) gave \(tokens.count) of \(fields.count) addresses for assets")
    }
    return try tokens.map { try $0.requiredText("url") }
  }
}

extension RemoteClient {
  /// Uploads a file; returns the server's dictionary, which a record then refers to.
  func upload(_ path: String, to url: String) throws -> JSONValue {
    try repeating {
      let response = try self.transport.upload(path, to: url)
      guard response.status == 200 else {
        throw RemoteError(status: response.status, "the server does not take an asset")
      }
      let json = try? response.body.withUnsafeBytes { try JSONParser.parse($0) }
      guard let file = json?["singleFile"] else {
        throw RemoteFailure(.unknown, "the answer to an asset is not as documented")
      }
      return file
    }
  }
}
