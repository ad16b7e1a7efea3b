/// The facts about all CKError codes, in one table (R12).
extension CloudError.Code {
  /// A row of the table.
  public struct Facts: Sendable {
    /// The code's name in CloudKit's API.
    public let name: String
    /// The server's sub-code in logs; `invalidArguments` has several. Of 2000, 2003, 2024, 2025,
    /// 2035 and 2036 no source is known except general knowledge.
    public let serverCode: Int?
    /// The name in Web Services; nil if unknown.
    public let wireName: String?
    /// The seconds after which an app may retry, in errors that always give it (C249); nil for
    /// others. CloudKit's own numbers vary.
    public let retryAfter: Double?

    fileprivate init(
      _ name: String, _ serverCode: Int? = nil, wire wireName: String? = nil,
      retryAfter: Double? = nil
    ) {
      self.name = name
      self.serverCode = serverCode
      self.wireName = wireName
      self.retryAfter = retryAfter
    }
  }

  /// The facts about the code.
  public var facts: Facts {
    switch self {
    case .internalError: Facts("internalError", wire: "INTERNAL_ERROR")
    case .partialFailure: Facts("partialFailure", 1011)
    case .networkUnavailable: Facts("networkUnavailable")
    case .networkFailure: Facts("networkFailure")
    case .badContainer: Facts("badContainer")
    case .serviceUnavailable:
      Facts("serviceUnavailable", 2022, wire: "TRY_AGAIN_LATER", retryAfter: 3)
    case .requestRateLimited: Facts("requestRateLimited", 2062, wire: "THROTTLED", retryAfter: 3)
    case .missingEntitlement: Facts("missingEntitlement")
    case .notAuthenticated: Facts("notAuthenticated", wire: "AUTHENTICATION_REQUIRED")
    case .permissionFailure: Facts("permissionFailure", 2007, wire: "ACCESS_DENIED")
    case .unknownItem: Facts("unknownItem", 2003, wire: "NOT_FOUND")
    case .invalidArguments: Facts("invalidArguments", wire: "BAD_REQUEST")
    case .resultsTruncated: Facts("resultsTruncated")
    case .serverRecordChanged: Facts("serverRecordChanged", 2004, wire: "CONFLICT")
    case .serverRejectedRequest: Facts("serverRejectedRequest", 2000)
    case .assetFileNotFound: Facts("assetFileNotFound")
    case .assetFileModified: Facts("assetFileModified")
    case .incompatibleVersion: Facts("incompatibleVersion")
    case .constraintViolation: Facts("constraintViolation", wire: "UNIQUE_FIELD_ERROR")
    case .operationCancelled: Facts("operationCancelled")
    case .changeTokenExpired: Facts("changeTokenExpired", 2026)
    case .batchRequestFailed: Facts("batchRequestFailed", 2024, wire: "ATOMIC_ERROR")
    case .zoneBusy: Facts("zoneBusy", retryAfter: 3)
    case .badDatabase: Facts("badDatabase")
    case .quotaExceeded: Facts("quotaExceeded", 2035, wire: "QUOTA_EXCEEDED")
    case .zoneNotFound: Facts("zoneNotFound", 2036, wire: "ZONE_NOT_FOUND")
    case .limitExceeded: Facts("limitExceeded", 2023)
    case .userDeletedZone: Facts("userDeletedZone", 2042)
    case .tooManyParticipants: Facts("tooManyParticipants")
    case .alreadyShared: Facts("alreadyShared")
    case .referenceViolation:
      Facts("referenceViolation", 2025, wire: "VALIDATING_REFERENCE_ERROR")
    case .managedAccountRestricted: Facts("managedAccountRestricted")
    case .participantMayNeedVerification: Facts("participantMayNeedVerification")
    case .serverResponseLost: Facts("serverResponseLost")
    case .assetNotAvailable: Facts("assetNotAvailable")
    case .accountTemporarilyUnavailable: Facts("accountTemporarilyUnavailable")
    case .participantAlreadyInvited: Facts("participantAlreadyInvited")
    }
  }

  /// The code's name in CloudKit's API: `serverRecordChanged`.
  public var name: String { facts.name }
}
