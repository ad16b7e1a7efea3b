extension CaseIterable where Self: RawRepresentable, RawValue == String {
  /// The case of a text. `init(rawValue:)` of an enumeration with many cases makes a table of them
  /// first, which takes a short command longer than to compare them all.
  public init?(spelled text: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue == text }) else { return nil }
    self = found
  }
}
