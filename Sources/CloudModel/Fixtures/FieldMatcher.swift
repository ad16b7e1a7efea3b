/// What a comparison asks of a field instead of one value.
public enum FieldMatcher: Sendable, Equatable {
  /// Some value, whatever it is.
  case any
  /// A number, or a moment in milliseconds, that is at most so far away.
  case approximately(Double, within: Double)
  /// A text that a regular expression matches as a whole.
  case matches(String)
  /// An asset whose contents have this hash.
  case assetHash(String)
}
