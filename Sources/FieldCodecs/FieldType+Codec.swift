public import Basics
public import CloudModel

// The codec of a type: one row for each type in each table.

extension FieldType {
  /// The columns of a field.
  public var columns: [CodecColumn] {
    if isList { return ListCodec.columns }
    return switch base {
    case .string: StringCodec.columns
    case .int64: Int64Codec.columns
    case .double: DoubleCodec.columns
    case .timestamp: TimestampCodec.columns
    case .bytes: BytesCodec.columns
    case .location: LocationCodec.columns
    case .reference: ReferenceCodec.columns
    case .asset: AssetCodec.columns
    case .number: NumberCodec.columns
    }
  }

  /// Reads a value from the cells at a place; nil if the first is NULL, or they are invalid.
  public func read(_ row: some CellReader, at place: Int) -> FieldValue? {
    let first = row.value(place)
    if first.isNull { return nil }
    if isList { return .list(ListCodec.decode(first.utf8, base: base)) }
    return switch base {
    case .string: StringCodec.read(row, at: place).map { .string($0) }
    case .int64: Int64Codec.read(row, at: place).map { .int64($0) }
    case .double: DoubleCodec.read(row, at: place).map { .double($0) }
    case .timestamp: TimestampCodec.read(row, at: place).map { .timestamp($0) }
    case .bytes: BytesCodec.read(row, at: place).map { .bytes($0) }
    case .location: LocationCodec.read(row, at: place).map { .location($0) }
    case .reference: ReferenceCodec.read(row, at: place).map { .reference($0) }
    case .asset: AssetCodec.read(row, at: place).map { .asset($0) }
    case .number: NumberCodec.read(row, at: place)
    }
  }
}

extension FieldType.Base {
  /// Writes the cells of a single value as `write` would; the first one must not be NULL.
  public func copy(_ row: some CellReader, at place: Int, to cells: inout some CellWriter) {
    switch self {
    case .string: StringCodec.copy(row, at: place, to: &cells)
    case .int64: Int64Codec.copy(row, at: place, to: &cells)
    case .double: DoubleCodec.copy(row, at: place, to: &cells)
    case .timestamp: TimestampCodec.copy(row, at: place, to: &cells)
    case .bytes: BytesCodec.copy(row, at: place, to: &cells)
    case .location: LocationCodec.copy(row, at: place, to: &cells)
    case .reference: ReferenceCodec.copy(row, at: place, to: &cells)
    case .asset: AssetCodec.copy(row, at: place, to: &cells)
    case .number: NumberCodec.copy(row, at: place, to: &cells)
    }
  }

  /// Reads a member of a list in its column.
  func value(member json: JSONValue) -> FieldValue? {
    switch self {
    case .string: StringCodec.value(member: json).map { .string($0) }
    case .int64: Int64Codec.value(member: json).map { .int64($0) }
    case .double: DoubleCodec.value(member: json).map { .double($0) }
    case .timestamp: TimestampCodec.value(member: json).map { .timestamp($0) }
    case .bytes: BytesCodec.value(member: json).map { .bytes($0) }
    case .location: LocationCodec.value(member: json).map { .location($0) }
    case .reference: ReferenceCodec.value(member: json).map { .reference($0) }
    case .asset: AssetCodec.value(member: json).map { .asset($0) }
    case .number:
      NumberCodec.first(Int64Codec.value(member: json), DoubleCodec.value(member: json))
    }
  }

  /// Reads a single value in Web Services' form; nil if it does not have this type.
  public func value(wire json: JSONValue) -> FieldValue? {
    switch self {
    case .string: StringCodec.value(wire: json).map { .string($0) }
    case .int64: Int64Codec.value(wire: json).map { .int64($0) }
    case .double: DoubleCodec.value(wire: json).map { .double($0) }
    case .timestamp: TimestampCodec.value(wire: json).map { .timestamp($0) }
    case .bytes: BytesCodec.value(wire: json).map { .bytes($0) }
    case .location: LocationCodec.value(wire: json).map { .location($0) }
    case .reference: ReferenceCodec.value(wire: json).map { .reference($0) }
    case .asset: AssetCodec.value(wire: json).map { .asset($0) }
    case .number:
      NumberCodec.first(Int64Codec.value(member: json), DoubleCodec.value(wire: json))
    }
  }

  /// Reads a single value in cktool's form; nil if it does not have this type.
  public func value(tool json: JSONValue) -> FieldValue? {
    switch self {
    case .string: StringCodec.value(tool: json).map { .string($0) }
    case .int64: Int64Codec.value(tool: json).map { .int64($0) }
    case .double: DoubleCodec.value(tool: json).map { .double($0) }
    case .timestamp: TimestampCodec.value(tool: json).map { .timestamp($0) }
    case .bytes: BytesCodec.value(tool: json).map { .bytes($0) }
    case .location: LocationCodec.value(tool: json).map { .location($0) }
    case .reference: ReferenceCodec.value(tool: json).map { .reference($0) }
    case .asset: AssetCodec.value(tool: json).map { .asset($0) }
    case .number: nil
    }
  }
}

extension FieldValue {
  /// Parses a text as a value of a type: numbers exactly, dates as ISO 8601 or milliseconds, places
  /// as `lat,lon`, references as a name, bytes as Base64. Nil for other text; assets and lists have
  /// no text.
  public init?(text: String, as base: FieldType.Base) {
    let value: FieldValue? =
      switch base {
      case .string: StringCodec.value(text: text).map { .string($0) }
      case .int64: Int64Codec.value(text: text).map { .int64($0) }
      case .double: DoubleCodec.value(text: text).map { .double($0) }
      case .timestamp: TimestampCodec.value(text: text).map { .timestamp($0) }
      case .bytes: BytesCodec.value(text: text).map { .bytes($0) }
      case .location: LocationCodec.value(text: text).map { .location($0) }
      case .reference: ReferenceCodec.value(text: text).map { .reference($0) }
      case .asset: AssetCodec.value(text: text).map { .asset($0) }
      case .number: NumberCodec.first(Int64Codec.value(text: text), DoubleCodec.value(text: text))
      }
    guard let value else { return nil }
    self = value
  }

  /// Reads the members of an object of plain JSON, whose keys imply the type.
  public init(plain members: [JSONMember]) throws(ValueReadingError) {
    let keys = Set(members.map(\.name))
    if LocationCodec.isMeant(by: keys) {
      self = .location(try LocationCodec.value(plain: members))
    } else if ReferenceCodec.isMeant(by: keys) {
      self = .reference(try ReferenceCodec.value(plain: members))
    } else if AssetCodec.isMeant(by: keys) {
      self = .asset(try AssetCodec.value(plain: members))
    } else {
      throw ValueReadingError(
        "an object must be {latitude, longitude}, {recordName} or {value, type}")
    }
  }

  /// The value as a type with a similar form in plain JSON: dates and bytes are strings there,
  /// dates may be milliseconds. Nil if it does not fit.
  public func reread(as type: FieldType) -> FieldValue? {
    if case .list(let members) = self {
      guard type.isList else { return nil }
      let read = members.compactMap { $0.reread(as: FieldType(type.base)) }
      return read.count == members.count ? .list(read) : nil
    }
    if type.isList { return nil }
    switch (self, type.base) {
    case (.string(let text), .timestamp), (.string(let text), .bytes):
      return FieldValue(text: text, as: type.base)
    case (.int64(let number), .timestamp):
      return Timestamp(given: number).map { .timestamp($0) }
    default: return nil
    }
  }
}
