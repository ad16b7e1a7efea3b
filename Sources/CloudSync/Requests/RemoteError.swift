internal import Basics
public import CloudModel
internal import WireFormat

/// An error of a server, as its answer has it.
public struct RemoteError: Error, Sendable {
  /// The code, which may be one that no documentation names.
  public var code: String
  /// The reason.
  public var reason: String
  /// After how many seconds the request may be repeated.
  public var retryAfter: Double?
  /// The record of a failed item.
  public var recordName: String?
  /// The status of the answer; nil for an item of one.
  public var status: Int?

  /// The error of a body or an item; nil if it has no code.
  init?(_ object: WireObject, status: Int? = nil) {
    guard let code = (try? object.text("serverErrorCode")) ?? nil else { return nil }
    self.code = code
    reason = ((try? object.text("reason")) ?? nil) ?? ""
    recordName = (try? object.text("recordName")) ?? nil
    self.status = status
    retryAfter = object["retryAfter"]?.number.flatMap { $0 >= 0 ? min($0, 1e6) : nil }
  }

  init(status: Int, _ reason: String) {
    (code, self.reason, self.status) = ("HTTP \(status)", reason, status)
  }

  /// The documented code.
  public var wireCode: WireCode? { WireCode(rawValue: code) }

  /// Whether the service asks to try again later. It has not done the request then.
  var isTemporary: Bool {
    switch code {
    case "THROTTLED", "TRY_AGAIN_LATER", "RETRY_LATER", "CAS_OP_LOCK", "ZONE_BUSY": true
    default: status == 429 || status == 503
    }
  }

  /// Whether a server failed, which may have done the request.
  var isServerFault: Bool { code == "INTERNAL_ERROR" || (status ?? 0) >= 500 }

  /// Whether the user must sign in again.
  public var isSignIn: Bool { wireCode == .authenticationRequired || status == 421 }

  /// The error as one of CloudKit's, with the server's code and reason.
  public var cloudError: CloudError {
    var error = CloudError(nativeCode, "\(code): \(reason)", recordName: recordName)
    error.serverCode = nil
    error.retryAfter = retryAfter
    return error
  }

  private var nativeCode: CloudError.Code {
    switch wireCode {
    case .accessDenied: .permissionFailure
    case .atomicError: .batchRequestFailed
    case .authenticationFailed, .authenticationRequired: .notAuthenticated
    case .badRequest: .invalidArguments
    case .conflict, .exists: .serverRecordChanged
    case .internalError, .tryAgainLater: .serviceUnavailable
    case .notFound: .unknownItem
    case .quotaExceeded: .quotaExceeded
    case .throttled: .requestRateLimited
    case .validatingReferenceError: .referenceViolation
    case .uniqueFieldError: .constraintViolation
    case .zoneBusy: .zoneBusy
    case .zoneNotFound: .zoneNotFound
    case nil: (status ?? 0) >= 500 ? .serviceUnavailable : .serverRejectedRequest
    }
  }
}

extension RemoteFailure {
  /// The failure as one of CloudKit's errors: the network's.
  public var cloudError: CloudError {
    switch kind {
    case .notSent, .permanent: return CloudError(.networkUnavailable, reason)
    case .unknown: return CloudError(.networkFailure, reason)
    case .interrupted:
      var error = CloudError(.operationCancelled, "interrupted")
      error.storage = .interrupted
      return error
    }
  }
}
