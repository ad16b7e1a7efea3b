internal import Basics
internal import CloudModel

/// ASSET: the hash and the size of contents that are stored in a file.
enum AssetCodec: FieldCodec {
  static let columns = [CodecColumn("", "TEXT"), CodecColumn(".size", "INTEGER")]

  static func write(_ value: Asset, to cells: inout some CellWriter) {
    cells.text(value.sha256)
    cells.integer(value.size)
  }

  static func read(_ row: some CellReader, at place: Int) -> Asset? {
    Asset(sha256: row.value(place).text, size: row.value(place + 1).int64)
  }

  static func copy(
    _ row: some CellReader, at place: Int, to cells: inout some CellWriter
  ) {
    cells.text(row.value(place).utf8)
    cells.integer(row.value(place + 1).int64)
  }

  /// `[hash, size]`.
  static func append(member value: Asset, to text: inout [UInt8]) {
    text.append(json: .array([.string(value.sha256), .int(value.size)]))
  }

  static func value(member json: JSONValue) -> Asset? {
    guard let parts = json.array, parts.count == 2, case .string(let hash) = parts[0],
      case .int(let size) = parts[1]
    else { return nil }
    return Asset(sha256: hash, size: size)
  }

  static func text(_ value: Asset) -> String? { nil }

  /// Contents cannot be given as text.
  static func value(text: String) -> Asset? { nil }

  static func append(plain value: Asset, to bytes: inout [UInt8]) {
    bytes.append(text: "{\"sha256\":\"")
    bytes.append(text: value.sha256)
    bytes.append(text: "\",\"size\":")
    bytes.append(jsonInt: value.size)
    bytes.append(UInt8(ascii: "}"))
  }

  static func wire(_ value: Asset) -> JSONValue {
    .object([
      JSONMember("fileChecksum", .string(value.sha256)), JSONMember("size", .int(value.size)),
    ])
  }

  /// The dictionary of an upload, or of an asset that the caller can read; only the receipt of an
  /// upload gives access to new contents.
  static func value(wire json: JSONValue) -> Asset? {
    guard let hash = json["fileChecksum"]?.string,
      let size = json["size"].flatMap({ Int64Codec.value(wire: $0) })
    else { return nil }
    return Asset(sha256: hash, size: size)
  }

  /// cktool names files instead (`ToolValue`).
  static func value(tool json: JSONValue) -> Asset? { nil }

  /// The contents count only towards a quota.
  static func size(_ value: Asset) -> Int { 0 }

  /// Whether an object with these keys is an asset.
  static func isMeant(by keys: Set<String>) -> Bool {
    keys.contains("sha256") || keys.contains("fileChecksum")
  }

  /// Reads plain JSON.
  static func value(plain members: [JSONMember]) throws(ValueReadingError) -> Asset {
    let object = JSONValue.object(members)
    if let checksum = object["fileChecksum"]?.string, Asset(sha256: checksum, size: 0) == nil {
      throw ValueReadingError(
        "the contents of the asset are on the service: its fileChecksum is not a SHA-256")
    }
    guard case .string(let hash)? = object["sha256"] ?? object["fileChecksum"],
      case .int(let size)? = object["size"],
      let asset = Asset(sha256: hash, size: size)
    else { throw ValueReadingError("an asset must be {sha256, size}") }
    return asset
  }
}
