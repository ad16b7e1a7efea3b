internal import CloudModel

/// The exit codes, after sysexits.h (M6).
public enum ExitCode: Int32, Sendable {
  case success = 0
  /// A question's answer is no, or what was named is not there.
  case no = 1
  /// One or more items failed.
  case partial = 3
  /// The command line is wrong.
  case usage = 64
  /// The data is wrong, or a rule refuses it.
  case data = 65
  /// Named input is missing or unreadable.
  case noInput = 66
  case unavailable = 69
  /// A fault of the program.
  case software = 70
  case cannotCreate = 73
  case inputOutput = 74
  case temporary = 75
  /// Somebody else changed it.
  case conflict = 76
  case noPermission = 77
  /// No store, no container, or a store that cannot be used.
  case configuration = 78
  case interrupted = 130

  /// The code of an error object that has none of CloudKit's (M6). A description by reflection
  /// would take half of a millisecond.
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
  /// The exit code: the store's fault decides, then the CKError code.
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
  /// What the process says of an error that CloudKit has, too (M6).
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
