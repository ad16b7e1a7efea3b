/// A condition on a field in a comparison, instead of one value.
public enum FieldMatcher: Sendable, Equatable {
  /// Any value.
  case any
  /// A number, or a time in milliseconds, within a distance.
  case approximately(Double, within: Double)
  /// A text that a regular expression matches as a whole.
  case matches(String)
  /// An asset whose contents have this hash.
  case assetHash(String)
}
