extension CloudError {
  /// Whether the error can be that of one item of a request; the other items then succeed. Other
  /// errors fail the request as a whole (web-services.md, §5).
  public var concernsItem: Bool {
    if storage != nil { return false }
    switch code {
    case .notAuthenticated, .networkUnavailable, .networkFailure, .badContainer, .badDatabase,
      .requestRateLimited, .serviceUnavailable, .internalError, .operationCancelled,
      .accountTemporarilyUnavailable, .missingEntitlement, .managedAccountRestricted,
      .serverResponseLost, .incompatibleVersion:
      return false
    case .partialFailure, .permissionFailure, .unknownItem, .invalidArguments,
      .resultsTruncated, .serverRecordChanged, .serverRejectedRequest, .assetFileNotFound,
      .assetFileModified, .constraintViolation, .changeTokenExpired, .batchRequestFailed,
      .zoneBusy, .quotaExceeded, .zoneNotFound, .limitExceeded, .userDeletedZone,
      .tooManyParticipants, .alreadyShared, .referenceViolation,
      .participantMayNeedVerification, .assetNotAvailable, .participantAlreadyInvited:
      return true
    }
  }
}
