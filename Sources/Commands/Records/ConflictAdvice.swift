internal import CloudModel

extension CloudError {
  /// The options that can resolve a conflict: the change tag of the version, a policy that ignores
  /// versions, or either.
  enum ConflictAdvice {
    case tagOrPolicy
    case changeTagOrPolicy
    case tag
    case policy
  }

  /// The error with a hint that names the options of its command.
  func advising(_ advice: ConflictAdvice) -> CloudError {
    guard let conflict, remedy == nil else { return self }
    let tag = conflict.server.changeTag?.text ?? ""
    let isStale = conflict.client.changeTag != nil
    var error = self
    switch advice {
    case .tagOrPolicy where isStale:
      error.remedy = "the record's tag is now \(tag): use --tag \(tag) or --policy changed"
    case .tagOrPolicy: error.remedy = "to update it, use --tag \(tag) or --policy changed"
    case .changeTagOrPolicy:
      error.remedy =
        """
        \(recordName ?? "the record") is stored with the tag \(tag): set the record's changeTag to \
        it, or use --policy changed
        """
    case .tag: error.remedy = "the record's tag is now \(tag): use --tag \(tag)"
    case .policy: error.remedy = "--policy changed merges the new values into the record"
    }
    return error
  }
}
