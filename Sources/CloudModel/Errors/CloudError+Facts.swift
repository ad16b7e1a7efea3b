/// All that is known of each CKError code: one table (`cloudkit-semantics.md` §12).
extension CloudError.Code {
  /// A row of the table.
  public struct Facts: Sendable {
    /// The code's name in CloudKit's API.
    public let name: String
    /// The server's sub-code that logs show with it; of `invalidArguments` there are several.
    /// Of 2000, 2003, 2024, 2025, 2035 and 2036 no source is known beside general knowledge.
    public let serverCode: Int?
    /// What the process says with its exit code (`cli.md` §6).
    public let exitCode: Int32
    /// The name in Web Services; nil where none is known.
    public let wireName: String?

    fileprivate init(
      _ name: String, _ serverCode: Int? = nil, exit exitCode: Int32, wire wireName: String? = nil
    ) {
      self.name = name
      self.serverCode = serverCode
      self.exitCode = exitCode
      self.wireName = wireName
    }
  }

  /// What is known of the code.
  public var facts: Facts {
    switch self {
    case .internalError: Facts("internalError", exit: 70, wire: "INTERNAL_ERROR")
    case .partialFailure: Facts("partialFailure", 1011, exit: 3)
    case .networkUnavailable: Facts("networkUnavailable", exit: 69)
    case .networkFailure: Facts("networkFailure", exit: 69)
    case .badContainer: Facts("badContainer", exit: 1)
    case .serviceUnavailable: Facts("serviceUnavailable", 2022, exit: 69, wire: "TRY_AGAIN_LATER")
    case .requestRateLimited: Facts("requestRateLimited", exit: 75, wire: "THROTTLED")
    case .missingEntitlement: Facts("missingEntitlement", exit: 65)
    case .notAuthenticated: Facts("notAuthenticated", exit: 77, wire: "AUTHENTICATION_REQUIRED")
    case .permissionFailure: Facts("permissionFailure", 2007, exit: 77, wire: "ACCESS_DENIED")
    case .unknownItem: Facts("unknownItem", 2003, exit: 1, wire: "NOT_FOUND")
    case .invalidArguments: Facts("invalidArguments", exit: 65, wire: "BAD_REQUEST")
    case .resultsTruncated: Facts("resultsTruncated", exit: 65)
    case .serverRecordChanged: Facts("serverRecordChanged", 2004, exit: 76, wire: "CONFLICT")
    case .serverRejectedRequest: Facts("serverRejectedRequest", 2000, exit: 65)
    case .assetFileNotFound: Facts("assetFileNotFound", exit: 66)
    case .assetFileModified: Facts("assetFileModified", exit: 75)
    case .incompatibleVersion: Facts("incompatibleVersion", exit: 65)
    case .constraintViolation: Facts("constraintViolation", exit: 65, wire: "UNIQUE_FIELD_ERROR")
    case .operationCancelled: Facts("operationCancelled", exit: 130)
    case .changeTokenExpired: Facts("changeTokenExpired", 2026, exit: 76)
    case .batchRequestFailed: Facts("batchRequestFailed", 2024, exit: 65, wire: "ATOMIC_ERROR")
    case .zoneBusy: Facts("zoneBusy", exit: 75)
    case .badDatabase: Facts("badDatabase", exit: 65)
    case .quotaExceeded: Facts("quotaExceeded", 2035, exit: 74, wire: "QUOTA_EXCEEDED")
    case .zoneNotFound: Facts("zoneNotFound", 2036, exit: 1, wire: "ZONE_NOT_FOUND")
    case .limitExceeded: Facts("limitExceeded", 2023, exit: 65)
    case .userDeletedZone: Facts("userDeletedZone", 2042, exit: 1)
    case .tooManyParticipants: Facts("tooManyParticipants", exit: 65)
    case .alreadyShared: Facts("alreadyShared", exit: 65)
    case .referenceViolation:
      Facts("referenceViolation", 2025, exit: 65, wire: "VALIDATING_REFERENCE_ERROR")
    case .managedAccountRestricted: Facts("managedAccountRestricted", exit: 77)
    case .participantMayNeedVerification: Facts("participantMayNeedVerification", exit: 77)
    case .serverResponseLost: Facts("serverResponseLost", exit: 75)
    case .assetNotAvailable: Facts("assetNotAvailable", exit: 75)
    case .accountTemporarilyUnavailable: Facts("accountTemporarilyUnavailable", exit: 69)
    case .participantAlreadyInvited: Facts("participantAlreadyInvited", exit: 65)
    }
  }

  /// The code's name in CloudKit's API: `serverRecordChanged`.
  public var name: String { facts.name }
}
