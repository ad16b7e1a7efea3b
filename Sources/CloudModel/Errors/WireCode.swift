/// The error codes of CloudKit Web Services, with the status of an answer that has one
/// (web-services.md, §5).
public enum WireCode: String, Sendable, CaseIterable {
  case accessDenied = "ACCESS_DENIED"
  case atomicError = "ATOMIC_ERROR"
  case authenticationFailed = "AUTHENTICATION_FAILED"
  case authenticationRequired = "AUTHENTICATION_REQUIRED"
  case badRequest = "BAD_REQUEST"
  case conflict = "CONFLICT"
  case exists = "EXISTS"
  case internalError = "INTERNAL_ERROR"
  case notFound = "NOT_FOUND"
  case quotaExceeded = "QUOTA_EXCEEDED"
  case throttled = "THROTTLED"
  case tryAgainLater = "TRY_AGAIN_LATER"
  case validatingReferenceError = "VALIDATING_REFERENCE_ERROR"
  case uniqueFieldError = "UNIQUE_FIELD_ERROR"
  case zoneBusy = "ZONE_BUSY"
  case zoneNotFound = "ZONE_NOT_FOUND"

  /// The HTTP status of a whole request that fails with the code. Those of `UNIQUE_FIELD_ERROR` and
  /// `ZONE_BUSY` are the project's decision: only CloudKit JS is known to know these codes.
  public var status: Int {
    switch self {
    case .accessDenied: 403
    case .atomicError, .badRequest: 400
    case .authenticationFailed: 401
    case .authenticationRequired: 421
    case .conflict, .exists, .uniqueFieldError: 409
    case .internalError: 500
    case .notFound, .zoneNotFound: 404
    case .quotaExceeded: 413
    case .throttled: 429
    case .tryAgainLater, .zoneBusy: 503
    case .validatingReferenceError: 412
    }
  }
}
