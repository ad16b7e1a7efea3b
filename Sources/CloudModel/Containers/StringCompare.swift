/// How the queries of a container compare whole texts (R7.2.1: the sources disagree).
public enum StringCompare: String, Sendable, CaseIterable {
  /// As NSPredicate does.
  case caseSensitive = "case-sensitive"
  /// As the comments of CKQuery say: case does not matter, but for BEGINSWITH.
  case caseInsensitive = "case-insensitive"
}
