extension CaseIterable where Self: RawRepresentable, RawValue == String {
  /// Creates the case of a text. `init(rawValue:)` of an enumeration with many cases first builds a
  /// table, which takes a short command longer than comparing them all.
  @inlinable public init?(spelled text: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue == text }) else { return nil }
    self = found
  }
}
