internal import CloudModel

/// The exit codes, after sysexits.h (M6).
public enum ExitCode: Int32, Sendable {
  case success = 0
  /// The answer is no, or a named item does not exist.
  case no = 1
  /// One or more items failed.
  case partial = 3
  /// The command line is invalid.
  case usage = 64
  /// The data is invalid, or a rule rejects it.
  case data = 65
  /// Named input is missing or unreadable.
  case noInput = 66
  case unavailable = 69
  /// An internal error.
  case software = 70
  case cannotCreate = 73
  case inputOutput = 74
  case temporary = 75
  /// The record has changed.
  case conflict = 76
  case noPermission = 77
  /// No store, no container, or a store that cannot be used.
  case configuration = 78
  case interrupted = 130

  /// The code of an error object without a CKError (M6). A description by reflection would take
  /// half a millisecond.
  var name: String {
    switch self {
    case .success: "success"
    case .no: "no"
    case .partial: "partial"
    case .usage: "usage"
    case .data: "data"
    case .noInput: "noInput"
    case .unavailable: "unavailable"
    case .software: "software"
    case .cannotCreate: "cannotCreate"
    case .inputOutput: "inputOutput"
    case .temporary: "temporary"
    case .conflict: "conflict"
    case .noPermission: "noPermission"
    case .configuration: "configuration"
    case .interrupted: "interrupted"
    }
  }
}

extension CloudError {
  /// The exit code: that of a storage fault, or else that of the CKError.
  var exitCode: ExitCode {
    if let storage { return Self.exitCode(storage) }
    return code.exitCode
  }

  private static func exitCode(_ fault: StorageFault) -> ExitCode {
    switch fault {
    case .busy: .temporary
    case .full, .inputOutput: .inputOutput
    case .readOnly: .noPermission
    case .cannotCreate: .cannotCreate
    case .missingInput: .noInput
    case .notConfigured, .damaged, .newerVersion, .olderVersion: .configuration
    case .interrupted: .interrupted
    }
  }
}

extension CloudError.Code {
  /// The exit code of a CKError (M6).
  var exitCode: ExitCode {
    switch self {
    case .badContainer, .unknownItem, .zoneNotFound, .userDeletedZone: .no
    case .partialFailure: .partial
    case .missingEntitlement, .invalidArguments, .resultsTruncated, .serverRejectedRequest,
      .incompatibleVersion, .constraintViolation, .batchRequestFailed, .badDatabase, .limitExceeded,
      .tooManyParticipants, .alreadyShared, .referenceViolation, .participantAlreadyInvited:
      .data
    case .assetFileNotFound: .noInput
    case .networkUnavailable, .networkFailure, .serviceUnavailable, .accountTemporarilyUnavailable:
      .unavailable
    case .internalError: .software
    case .quotaExceeded: .inputOutput
    case .requestRateLimited, .assetFileModified, .zoneBusy, .serverResponseLost,
      .assetNotAvailable:
      .temporary
    case .serverRecordChanged, .changeTokenExpired: .conflict
    case .notAuthenticated, .permissionFailure, .managedAccountRestricted,
      .participantMayNeedVerification:
      .noPermission
    case .operationCancelled: .interrupted
    }
  }
}
