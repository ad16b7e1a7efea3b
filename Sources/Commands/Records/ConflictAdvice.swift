internal import CloudModel

extension CloudError {
  /// What a command line could say to get past a conflict: the version that it is about, a
  /// policy that looks at no version, or either.
  enum ConflictAdvice {
    case tagOrPolicy
    case changeTagOrPolicy
    case tag
    case policy
  }

  /// The error with a hint that names the options of the command that met it.
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
