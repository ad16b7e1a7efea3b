internal import Basics

extension String {
  /// Words, in capitals, that must be quoted as names in the schema language.
  public static let reservedSchemaWords: Set = [
    "GRANT", "PREFERRED", "QUERYABLE", "SORTABLE", "SEARCHABLE",
  ]

  /// Whether it can be a name in the schema language without quotes.
  public var isBareSchemaName: Bool {
    guard let first = utf8.first, first.isLetterByte, utf8.allSatisfy(\.isIdentifierByte) else {
      return false
    }
    // None of the reserved words has an underscore.
    return utf8.contains(UInt8(ascii: "_")) || !Self.reservedSchemaWords.contains(uppercased())
  }

  /// The name in the schema language, quoted if necessary.
  public var schemaIdentifier: String { isBareSchemaName ? self : "\"\(self)\"" }
}
