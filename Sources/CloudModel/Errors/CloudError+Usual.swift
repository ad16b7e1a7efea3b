extension CloudError.Code {
  /// Parses a name of CloudKit's API in any case, with or without a `CKError` prefix, or a number.
  public init?(text: String) {
    let word = text.lowercased()
    let found = Self.allCases.first { code in
      let name = code.name.lowercased()
      return word == name || word == "ckerror" + name || word == "ckerror." + name
        || word == String(code.rawValue)
    }
    guard let found else { return nil }
    self = found
  }

  /// The usual message of the code (H:CKError).
  public var usualMessage: String {
    switch self {
    case .internalError: "CloudKit had an internal error"
    case .partialFailure: "Some items failed, but the operation succeeded overall"
    case .networkUnavailable: "The network is not available"
    case .networkFailure: "The network failed"
    case .badContainer: "The container is unknown or not accessible"
    case .serviceUnavailable: "The service is not available"
    case .requestRateLimited: "The client's requests are limited"
    case .missingEntitlement: "The app lacks an entitlement"
    case .notAuthenticated: "No account is signed in"
    case .permissionFailure: "Access failure"
    case .unknownItem: "The record does not exist"
    case .invalidArguments: "Bad client request"
    case .resultsTruncated: "The results were truncated by the server"
    case .serverRecordChanged: "client oplock error updating record"
    case .serverRejectedRequest: "The server rejected the request"
    case .assetFileNotFound: "The asset's file was not found"
    case .assetFileModified: "The asset's file changed while it was being saved"
    case .incompatibleVersion: "The app's version is too old"
    case .constraintViolation: "A unique field already has that value"
    case .operationCancelled: "The operation was cancelled"
    case .changeTokenExpired: "client knowledge differs from server knowledge"
    case .batchRequestFailed: "Another item of the atomic batch failed"
    case .zoneBusy: "The zone is too busy"
    case .badDatabase: "The operation is not allowed in this database"
    case .quotaExceeded: "Saving would exceed the user's quota"
    case .zoneNotFound: "The zone does not exist"
    case .limitExceeded: "The request is too large"
    case .userDeletedZone: "Zone was purged by user"
    case .tooManyParticipants: "The share has too many participants"
    case .alreadyShared: "The record is already shared"
    case .referenceViolation: "The target of a reference was not found"
    case .managedAccountRestricted: "The managed account does not allow that"
    case .participantMayNeedVerification: "The participant must be verified"
    case .serverResponseLost: "The server's response was lost"
    case .assetNotAvailable: "The asset's contents are not available"
    case .accountTemporarilyUnavailable: "The account is not ready"
    case .participantAlreadyInvited: "The participant is already invited"
    }
  }
}
