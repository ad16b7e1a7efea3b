extension String {
  /// Whether the text has the form of a UUID, in either case.
  public var isUUID: Bool {
    let parts = utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.map(\.count) == [8, 4, 4, 4, 12]
      && parts.allSatisfy { $0.allSatisfy { Character(UnicodeScalar($0)).isHexDigit } }
  }
}
