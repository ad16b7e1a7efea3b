internal import Basics

/// How many random steps the model tests take.
public enum ModelSteps {
  /// What CKDB_STEPS says, for a longer run; else so many.
  public static func count(_ usual: Int) -> Int {
    Platform.environmentVariables["CKDB_STEPS"].flatMap { Int($0) } ?? usual
  }
}
