/// The type of a field (R3.3).
public struct FieldType: Sendable, Hashable {
  /// The type of the value, or of a list's members.
  public var base: Base
  /// Whether the field contains a list.
  public var isList: Bool
  /// Whether CloudKit would encrypt it (R13).
  public var isEncrypted: Bool
  /// How the numbers of a NUMBER field are shown; nil for unchanged.
  public var preference: NumberPreference?

  /// Creates a type.
  public init(
    _ base: Base, isList: Bool = false, isEncrypted: Bool = false,
    preference: NumberPreference? = nil
  ) {
    self.base = base
    self.isList = isList
    self.isEncrypted = isEncrypted
    self.preference = preference
  }

  /// The values of `PREFERRED AS`.
  public enum NumberPreference: String, Sendable, CaseIterable {
    case int64 = "INT64"
    case double = "DOUBLE"
  }

  /// The types of single values.
  public enum Base: String, Sendable, CaseIterable {
    case string = "STRING"
    case int64 = "INT64"
    case double = "DOUBLE"
    case timestamp = "TIMESTAMP"
    case bytes = "BYTES"
    case location = "LOCATION"
    case reference = "REFERENCE"
    case asset = "ASSET"
    /// A number of either kind; only from schema text (R3.6.4).
    case number = "NUMBER"
  }

  /// The name in the schema language: `LIST<STRING>`, `ENCRYPTED STRING`.
  public var schemaName: String {
    var primitive = isEncrypted ? "ENCRYPTED \(base.rawValue)" : base.rawValue
    if let preference { primitive += Self.preferring + preference.rawValue }
    return isList ? "LIST<\(primitive)>" : primitive
  }

  /// Whether another type differs only in how numbers are shown.
  public func canBecome(preferred other: FieldType) -> Bool {
    var preferred = self
    preferred.preference = other.preference
    return base == .number && preference == nil && self != other && preferred == other
  }

  private static let preferring = " PREFERRED AS "

  /// Whether a field of the base can be encrypted (R13.1).
  public static func canEncrypt(_ base: Base) -> Bool {
    switch base {
    case .string, .int64, .double, .timestamp, .bytes, .location: true
    case .reference, .asset, .number: false
    }
  }

  /// The name in the server's messages: `STRING`, `ASSETID`, `STRING_LIST`, `ENCRYPTED_STRING`.
  public var valueTypeName: String {
    let plain = base == .asset ? "ASSETID" : base.rawValue
    let name = isEncrypted ? "ENCRYPTED_\(plain)" : plain
    return isList ? "\(name)_LIST" : name
  }

  /// Whether a field of this type accepts a value written with another type: a NUMBER field accepts
  /// numbers of both kinds (R3.4.7).
  public func accepts(written type: FieldType) -> Bool {
    if type == self { return true }
    guard base == .number, type.isList == isList, !type.isEncrypted else { return false }
    return type.base == .int64 || type.base == .double || type.base == .number
  }

  /// The indexes that a field of this type may have (R7.3.7, L4.9).
  public var allowedIndexes: FieldIndexes {
    if isEncrypted || base == .asset { return [] }
    var indexes: FieldIndexes = isList ? [.queryable] : [.queryable, .sortable]
    if base == .string { indexes.insert(.searchable) }
    return indexes
  }

  /// The indexes of a field that a save in development creates (R7.3.8).
  public var newFieldIndexes: FieldIndexes {
    base == .bytes || isList && base == .location ? [] : allowedIndexes
  }

  /// Parses a name in the schema language, in any case. Nil for other text.
  public init?(schemaName text: String) {
    // Outside ASCII, other letters may have these as their capitals.
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    var words = text.uppercased()
    var isList = false
    if words.hasPrefix("LIST<"), words.hasSuffix(">") {
      isList = true
      words = String(words.dropFirst(5).dropLast())
    }
    var isEncrypted = false
    if words.hasPrefix("ENCRYPTED<"), words.hasSuffix(">") {
      isEncrypted = true
      words = String(words.dropFirst(10).dropLast())
    } else if words.hasPrefix("ENCRYPTED ") {
      isEncrypted = true
      words = String(words.dropFirst(10))
    }
    var preference: NumberPreference?
    let number = Base.number.rawValue + Self.preferring
    if words.hasPrefix(number) {
      preference = NumberPreference(rawValue: String(words.dropFirst(number.count)))
      if preference == nil { return nil }
      words = Base.number.rawValue
    }
    guard let base = Base(rawValue: words), !isEncrypted || Self.canEncrypt(base) else {
      return nil
    }
    self.init(base, isList: isList, isEncrypted: isEncrypted, preference: preference)
  }
}

/// The declared indexes of a field: what may be asked of it, not an optimization (DS4).
public struct FieldIndexes: OptionSet, Sendable, Hashable {
  /// The indexes as bits.
  public let rawValue: Int

  /// The indexes of a bit mask.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Can be used in a filter.
  public static let queryable = FieldIndexes(rawValue: 1)
  /// Can be sorted by.
  public static let sortable = FieldIndexes(rawValue: 2)
  /// Is included in full-text search.
  public static let searchable = FieldIndexes(rawValue: 4)

  /// The words of the schema language, each after a blank.
  public var schemaText: String { Self.schemaTexts[rawValue & 7] }

  private static let schemaTexts = (0..<8).map { bits in
    FieldIndexes(rawValue: bits).words.map { " \($0)" }.joined()
  }

  /// The words of the schema language, in Apple's order.
  public var words: [String] {
    var words: [String] = []
    if contains(.queryable) { words.append("QUERYABLE") }
    if contains(.searchable) { words.append("SEARCHABLE") }
    if contains(.sortable) { words.append("SORTABLE") }
    return words
  }

  /// The index of a word in capitals; nil for another word.
  public init?(word: String) {
    switch word {
    case "QUERYABLE": self = .queryable
    case "SEARCHABLE": self = .searchable
    case "SORTABLE": self = .sortable
    default: return nil
    }
  }
}
