/// The version of all programs of a release, which work only with each other.
public enum ProgramVersion {
  /// The number: `0.1.0`.
  public static let number = "0.1.0"
}
