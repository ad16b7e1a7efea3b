internal import Basics

extension String {
  /// Words of the schema language that name a thing only in quotes, in capitals.
  public static let reservedSchemaWords: Set = [
    "GRANT", "PREFERRED", "QUERYABLE", "SORTABLE", "SEARCHABLE",
  ]

  /// Whether it can appear as a name in the schema language without quotes.
  public var isBareSchemaName: Bool {
    guard let first = utf8.first, first.isLetterByte, utf8.allSatisfy(\.isIdentifierByte) else {
      return false
    }
    return !Self.reservedSchemaWords.contains(uppercased())
  }

  /// A name as the schema language has it: in quotes where it needs them.
  public var schemaIdentifier: String { isBareSchemaName ? self : "\"\(self)\"" }
}
