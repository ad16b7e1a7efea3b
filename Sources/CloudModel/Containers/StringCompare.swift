/// How a container's queries compare whole strings (R7.2.1: the sources disagree).
public enum StringCompare: String, Sendable, CaseIterable {
  /// As NSPredicate does.
  case caseSensitive = "case-sensitive"
  /// As the comments of CKQuery say: case-insensitive, except for BEGINSWITH.
  case caseInsensitive = "case-insensitive"
}
