public import Basics
public import CloudModel

// The codec of a value: one row for each type in each table.

extension FieldValue {
  /// Writes the value into the cells of its columns.
  public func write(to cells: inout some CellWriter) {
    switch self {
    case .string(let value): StringCodec.write(value, to: &cells)
    case .int64(let value): Int64Codec.write(value, to: &cells)
    case .double(let value): DoubleCodec.write(value, to: &cells)
    case .timestamp(let value): TimestampCodec.write(value, to: &cells)
    case .bytes(let value): BytesCodec.write(value, to: &cells)
    case .location(let value): LocationCodec.write(value, to: &cells)
    case .reference(let value): ReferenceCodec.write(value, to: &cells)
    case .asset(let value): AssetCodec.write(value, to: &cells)
    case .list(let members): ListCodec.encode(members).withUnsafeBytes { cells.text($0) }
    }
  }

  /// Appends the value as a member of a list in its column.
  func append(member text: inout [UInt8]) {
    switch self {
    case .string(let value): StringCodec.append(member: value, to: &text)
    case .int64(let value): Int64Codec.append(member: value, to: &text)
    case .double(let value): DoubleCodec.append(member: value, to: &text)
    case .timestamp(let value): TimestampCodec.append(member: value, to: &text)
    case .bytes(let value): BytesCodec.append(member: value, to: &text)
    case .location(let value): LocationCodec.append(member: value, to: &text)
    case .reference(let value): ReferenceCodec.append(member: value, to: &text)
    case .asset(let value): AssetCodec.append(member: value, to: &text)
    case .list: preconditionFailure("a list cannot contain lists")
    }
  }

  /// The text of a cell of CSV and TSV: strings, numbers and dates unchanged, lists, places and
  /// references as JSON (M4.6).
  public var cellText: String {
    let text =
      switch self {
      case .string(let value): StringCodec.text(value)
      case .int64(let value): Int64Codec.text(value)
      case .double(let value): DoubleCodec.text(value)
      case .timestamp(let value): TimestampCodec.text(value)
      case .bytes(let value): BytesCodec.text(value)
      case .location(let value): LocationCodec.text(value)
      case .reference(let value): ReferenceCodec.text(value)
      case .asset(let value): AssetCodec.text(value)
      case .list: nil as String?
      }
    if let text { return text }
    var bytes: [UInt8] = []
    bytes.append(plain: self)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text for completing the value; nil for values that are not typed.
  public var completionText: String? {
    switch self {
    case .string(let text): text
    case .reference(let reference): reference.name.text
    case .int64, .double, .timestamp: cellText
    case .bytes, .location, .asset, .list: nil
    }
  }

  /// The value in Web Services' record dictionary (W4), without its type. References name the zone,
  /// which is that of their record.
  public func wireValue(in zone: ZoneID) -> JSONValue {
    switch self {
    case .string(let value): StringCodec.wire(value)
    case .int64(let value): Int64Codec.wire(value)
    case .double(let value): DoubleCodec.wire(value)
    case .timestamp(let value): TimestampCodec.wire(value)
    case .bytes(let value): BytesCodec.wire(value)
    case .location(let value): LocationCodec.wire(value)
    case .reference(let value):
      ReferenceCodec.wire(Reference(value.name, in: value.zone ?? zone, action: value.action))
    case .asset(let value): AssetCodec.wire(value)
    case .list(let members): .array(members.map { $0.wireValue(in: zone) })
    }
  }

  /// The value as Apple's cktool prints it (L5, L6), without its type.
  public var toolValue: JSONValue {
    switch self {
    case .string(let value): StringCodec.tool(value)
    case .int64(let value): Int64Codec.tool(value)
    case .double(let value): DoubleCodec.tool(value)
    case .timestamp(let value): TimestampCodec.tool(value)
    case .bytes(let value): BytesCodec.tool(value)
    case .location(let value): LocationCodec.tool(value)
    case .reference(let value): ReferenceCodec.tool(value)
    case .asset(let value): AssetCodec.tool(value)
    case .list(let members): .array(members.map(\.toolValue))
    }
  }

  /// Bytes that count towards a record's size; assets are not counted (R3.4.8).
  public var size: Int {
    switch self {
    case .string(let value): StringCodec.size(value)
    case .int64(let value): Int64Codec.size(value)
    case .double(let value): DoubleCodec.size(value)
    case .timestamp(let value): TimestampCodec.size(value)
    case .bytes(let value): BytesCodec.size(value)
    case .location(let value): LocationCodec.size(value)
    case .reference(let value): ReferenceCodec.size(value)
    case .asset(let value): AssetCodec.size(value)
    case .list(let members): members.reduce(0) { $0 + $1.size }
    }
  }
}

extension FieldValue {
  /// The value in plain JSON.
  public var plainJSON: JSONValue {
    var bytes: [UInt8] = []
    bytes.append(plain: self)
    return (try? JSONParser.parse(String(decoding: bytes, as: UTF8.self))) ?? .null
  }

  /// The value as plain text: plain JSON, strings without their quotes.
  public var plainText: String {
    let json = plainJSON
    if case .string(let text) = json { return text }
    return json.text
  }
}

extension [UInt8] {
  /// Appends a value in plain JSON (M4), in the usual form; its type is left to the schema.
  public mutating func append(plain value: FieldValue) {
    switch value {
    case .string(let value): StringCodec.append(plain: value, to: &self)
    case .int64(let value): Int64Codec.append(plain: value, to: &self)
    case .double(let value): DoubleCodec.append(plain: value, to: &self)
    case .timestamp(let value): TimestampCodec.append(plain: value, to: &self)
    case .bytes(let value): BytesCodec.append(plain: value, to: &self)
    case .location(let value): LocationCodec.append(plain: value, to: &self)
    case .reference(let value): ReferenceCodec.append(plain: value, to: &self)
    case .asset(let value): AssetCodec.append(plain: value, to: &self)
    case .list(let members):
      append(UInt8(ascii: "["))
      for index in members.indices {
        if index > 0 { append(UInt8(ascii: ",")) }
        append(plain: members[index])
      }
      append(UInt8(ascii: "]"))
    }
  }
}
