/// The facts about all CKError codes, in one table (R12).
extension CloudError.Code {
  /// A row of the table.
  public struct Facts: Sendable {
    /// The code's name in CloudKit's API.
    public let name: String
    /// The server's sub-code in logs; `invalidArguments` has several. Of 2000, 2003, 2024, 2025,
    /// 2035 and 2036 no source is known except general knowledge.
    public let serverCode: Int?
    /// The code in Web Services; of codes that these do not have, the nearest one (the project's
    /// decision).
    public let wire: WireCode
    /// The seconds after which an app may retry, in errors that always give it (C249); nil for
    /// others. CloudKit's own numbers vary.
    public let retryAfter: Double?

    fileprivate init(
      _ name: String, _ serverCode: Int? = nil, wire: WireCode, retryAfter: Double? = nil
    ) {
      self.name = name
      self.serverCode = serverCode
      self.wire = wire
      self.retryAfter = retryAfter
    }
  }

  /// The facts about the code.
  public var facts: Facts {
    switch self {
    case .internalError: Facts("internalError", wire: .internalError)
    case .partialFailure: Facts("partialFailure", 1011, wire: .badRequest)
    case .networkUnavailable: Facts("networkUnavailable", wire: .tryAgainLater)
    case .networkFailure: Facts("networkFailure", wire: .tryAgainLater)
    case .badContainer: Facts("badContainer", wire: .notFound)
    case .serviceUnavailable:
      Facts("serviceUnavailable", 2022, wire: .tryAgainLater, retryAfter: 3)
    case .requestRateLimited: Facts("requestRateLimited", 2062, wire: .throttled, retryAfter: 3)
    case .missingEntitlement: Facts("missingEntitlement", wire: .accessDenied)
    case .notAuthenticated: Facts("notAuthenticated", wire: .authenticationRequired)
    case .permissionFailure: Facts("permissionFailure", 2007, wire: .accessDenied)
    case .unknownItem: Facts("unknownItem", 2003, wire: .notFound)
    case .invalidArguments: Facts("invalidArguments", wire: .badRequest)
    case .resultsTruncated: Facts("resultsTruncated", wire: .badRequest)
    case .serverRecordChanged: Facts("serverRecordChanged", 2004, wire: .conflict)
    case .serverRejectedRequest: Facts("serverRejectedRequest", 2000, wire: .badRequest)
    case .assetFileNotFound: Facts("assetFileNotFound", wire: .badRequest)
    case .assetFileModified: Facts("assetFileModified", wire: .badRequest)
    case .incompatibleVersion: Facts("incompatibleVersion", wire: .badRequest)
    case .constraintViolation: Facts("constraintViolation", wire: .uniqueFieldError)
    case .operationCancelled: Facts("operationCancelled", wire: .tryAgainLater)
    case .changeTokenExpired: Facts("changeTokenExpired", 2026, wire: .badRequest)
    case .batchRequestFailed: Facts("batchRequestFailed", 2024, wire: .atomicError)
    case .zoneBusy: Facts("zoneBusy", wire: .zoneBusy, retryAfter: 3)
    case .badDatabase: Facts("badDatabase", wire: .badRequest)
    case .quotaExceeded: Facts("quotaExceeded", 2035, wire: .quotaExceeded)
    case .zoneNotFound: Facts("zoneNotFound", 2036, wire: .zoneNotFound)
    case .limitExceeded: Facts("limitExceeded", 2023, wire: .badRequest)
    case .userDeletedZone: Facts("userDeletedZone", 2042, wire: .zoneNotFound)
    case .tooManyParticipants: Facts("tooManyParticipants", wire: .badRequest)
    case .alreadyShared: Facts("alreadyShared", wire: .badRequest)
    case .referenceViolation:
      Facts("referenceViolation", 2025, wire: .validatingReferenceError)
    case .managedAccountRestricted: Facts("managedAccountRestricted", wire: .accessDenied)
    case .participantMayNeedVerification:
      Facts("participantMayNeedVerification", wire: .accessDenied)
    case .serverResponseLost: Facts("serverResponseLost", wire: .tryAgainLater)
    case .assetNotAvailable: Facts("assetNotAvailable", wire: .notFound)
    case .accountTemporarilyUnavailable:
      Facts("accountTemporarilyUnavailable", wire: .tryAgainLater)
    case .participantAlreadyInvited: Facts("participantAlreadyInvited", wire: .conflict)
    }
  }

  /// The code's name in CloudKit's API: `serverRecordChanged`.
  public var name: String { facts.name }
}
