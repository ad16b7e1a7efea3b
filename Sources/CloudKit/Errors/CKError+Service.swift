internal import CloudModel
internal import Foundation

extension CKError {
  /// The error of a service. `details` are the facts that only the caller knows, such as records.
  init(_ error: CloudError, _ details: [String: Any] = [:]) {
    var facts = details
    facts[NSLocalizedDescriptionKey] = error.message
    if let remedy = error.remedy?.advice { facts[NSLocalizedRecoverySuggestionErrorKey] = remedy }
    if let seconds = error.retryAfter { facts[CKErrorRetryAfterKey] = NSNumber(value: seconds) }
    if error.didResetEncryptedData {
      facts[CKErrorUserDidResetEncryptedDataKey] = NSNumber(value: true)
    }
    if let code = error.serverCode {
      facts[NSUnderlyingErrorKey] = NSError(
        domain: Self.internalDomain, code: code,
        userInfo: [NSLocalizedDescriptionKey: error.message])
    }
    self.init(
      _nsError: NSError(domain: CKErrorDomain, code: error.code.rawValue, userInfo: facts))
  }

  /// The domain of the codes that the service itself uses.
  private static let internalDomain = "CKInternalErrorDomain"

  /// The error for items that failed on their own; nil if none did.
  static func partial(_ message: String, _ errors: [AnyHashable: any Error]) -> CKError? {
    guard !errors.isEmpty else { return nil }
    return CKError(CloudError(.partialFailure, message), [CKPartialErrorsByItemIDKey: errors])
  }

  /// The error of a cancelled operation.
  static let cancelled = CKError(
    CloudError(.operationCancelled, "The operation was cancelled"))

  /// Any error as one of CloudKit's.
  package init(any error: any Error) {
    switch error {
    case let known as CKError: self = known
    case let known as CloudError: self.init(known)
    default: self.init(CloudError(.internalError, "\(error)"))
    }
  }
}

extension Remedy {
  /// The advice that suits every surface; nil for one that names commands.
  fileprivate var advice: String? {
    if case .advice(let text) = self { return text }
    if case .similarName(let name) = self { return "did you mean \(name)?" }
    return nil
  }
}

extension [AnyHashable: any Error] {
  /// The errors of the items that failed.
  init<ID: Hashable, Item>(failures results: [(ID, Result<Item, any Error>)]) {
    self.init()
    for case (let id, .failure(let error)) in results { self[id] = error }
  }
}
