internal import Basics

extension FieldValue {
  /// Reads a text as a value of a type: numbers exactly, dates as ISO 8601 or milliseconds,
  /// places as `lat,lon`, references as a name, bytes as Base64. Nil when it is none; assets
  /// and lists have no text.
  public init?(text: String, as base: FieldType.Base) {
    switch base {
    case .string: self = .string(text)
    case .int64:
      guard let number = Int64(text) else { return nil }
      self = .int64(number)
    case .double:
      guard let number = Double(text), number.isFinite else { return nil }
      self = .double(number)
    case .number:
      guard let value = FieldValue(text: text, as: .int64) ?? FieldValue(text: text, as: .double)
      else { return nil }
      self = value
    case .timestamp:
      guard let time = Timestamp(text) else { return nil }
      self = .timestamp(time)
    case .location:
      guard let place = Location(text) else { return nil }
      self = .location(place)
    case .reference:
      guard let name = try? RecordName(text) else { return nil }
      self = .reference(Reference(name))
    case .bytes:
      guard let bytes = Base64.decode(text) else { return nil }
      self = .bytes(bytes)
    case .asset: return nil
    }
  }

  /// The value as a type whose plain JSON looks like this one's: dates and bytes are strings
  /// there, dates may be milliseconds. Nil when it is none.
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
