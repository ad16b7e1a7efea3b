internal import Basics

/// The number of random steps in the model tests.
public enum ModelSteps {
  /// The value of CKDB_STEPS, for a longer run; `usual` by default.
  public static func count(_ usual: Int) -> Int {
    Platform.environmentVariables["CKDB_STEPS"].flatMap { Int($0) } ?? usual
  }
}
