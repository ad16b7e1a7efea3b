internal import CloudModel

/// The errors of records that miss a target which failed in the same operation (R5.8): CloudKit
/// gives them `quotaExceeded` if the target's error was that, else `internalError`, and never
/// `referenceViolation`, on which apps delete the record
/// (https://github.com/pointfreeco/sqlite-data/pull/548).
struct OrphanErrors {
  /// The errors of the items that failed, by their names.
  let failures: [String: CloudError]
  /// The missing targets of the records that failed for want of them, by their names.
  let wanted: [String: [String]]

  /// The error of a record instead of its `referenceViolation`; nil if no target failed.
  func error(of name: String) -> CloudError? { error(of: name, among: []) }

  private func error(of name: String, among waiting: Set<String>) -> CloudError? {
    let failed = (wanted[name] ?? []).filter { failures[$0] != nil && !waiting.contains($0) }
    guard let first = failed.first else { return nil }
    let errors = failed.compactMap { target in
      error(of: target, among: waiting.union([name])) ?? failures[target]
    }
    var found =
      errors.first { $0.code == .quotaExceeded }
      ?? CloudError(
        .internalError, "The record was not saved, because '\(first)' of the same operation failed")
    found.recordName = name
    return found
  }
}
