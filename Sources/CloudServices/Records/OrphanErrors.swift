internal import Basics
internal import CloudModel

/// The errors of records whose target failed in the same operation (R5.8): CloudKit gives them
/// `quotaExceeded` if that was the target's error, else `internalError`. It never gives them
/// `referenceViolation`, on which apps delete the record
/// (https://github.com/pointfreeco/sqlite-data/pull/548).
struct OrphanErrors {
  /// The errors instead of `referenceViolation`, by the names of the records.
  private(set) var errors: [String: CloudError] = [:]

  /// Takes the errors of the failed saves, and the missing targets of those with
  /// `referenceViolation`; both by the names of the records.
  init(failures: [String: CloudError], wanted: [String: [String]]) {
    var dependents: [String: [String]] = [:]
    for (name, targets) in wanted {
      guard let target = targets.first(where: { failures[$0] != nil }) else { continue }
      var error = CloudError(
        .internalError,
        "The record was not saved, because '\(target)' of the same operation failed")
      error.recordName = name
      errors[name] = error
      for target in targets { dependents[target, default: []].append(name) }
    }
    var waiting = failures.filter { $0.value.code == .quotaExceeded }
      .map { ($0.key, $0.value) }.sorted { utf8Precedes($0.0, $1.0) }
    while let (name, cause) = waiting.popLast() {
      for dependent in dependents[name] ?? [] where errors[dependent]?.code != .quotaExceeded {
        var error = cause
        error.recordName = dependent
        errors[dependent] = error
        waiting.append((dependent, error))
      }
    }
  }
}
