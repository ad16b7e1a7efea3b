@_exported public import Foundation

/// The domain of CloudKit's errors.
public let CKErrorDomain = "CKErrorDomain"

/// An error of CloudKit.
public struct CKError: _BridgedStoredNSError {
  /// The error as Foundation knows it.
  public let _nsError: NSError

  /// Wraps an error of the domain `CKErrorDomain`.
  public init(_nsError error: NSError) { _nsError = error }

  /// The domain of CloudKit's errors.
  public static var _nsErrorDomain: String { CKErrorDomain }
  /// The domain of CloudKit's errors.
  public static var errorDomain: String { CKErrorDomain }

  /// What went wrong (R12).
  public enum Code: Int, _ErrorCodeProtocol, Sendable {
    /// The error that has such codes.
    public typealias _ErrorType = CKError

    case internalError = 1
    case partialFailure = 2
    case networkUnavailable = 3
    case networkFailure = 4
    case badContainer = 5
    case serviceUnavailable = 6
    case requestRateLimited = 7
    case missingEntitlement = 8
    case notAuthenticated = 9
    case permissionFailure = 10
    case unknownItem = 11
    case invalidArguments = 12
    case resultsTruncated = 13
    case serverRecordChanged = 14
    case serverRejectedRequest = 15
    case assetFileNotFound = 16
    case assetFileModified = 17
    case incompatibleVersion = 18
    case constraintViolation = 19
    case operationCancelled = 20
    case changeTokenExpired = 21
    case batchRequestFailed = 22
    case zoneBusy = 23
    case badDatabase = 24
    case quotaExceeded = 25
    case zoneNotFound = 26
    case limitExceeded = 27
    case userDeletedZone = 28
    case tooManyParticipants = 29
    case alreadyShared = 30
    case referenceViolation = 31
    case managedAccountRestricted = 32
    case participantMayNeedVerification = 33
    case serverResponseLost = 34
    case assetNotAvailable = 35
    case accountTemporarilyUnavailable = 36
    case participantAlreadyInvited = 37
  }
}

// The codes by the name of the error: `catch CKError.zoneBusy`.
extension CKError {
  /// CloudKit failed in a way that the app can do nothing about.
  public static var internalError: Code { .internalError }
  /// Some items failed: `partialErrorsByItemID` has their errors.
  public static var partialFailure: Code { .partialFailure }
  /// The device has no network.
  public static var networkUnavailable: Code { .networkUnavailable }
  /// The network works, but CloudKit cannot be reached.
  public static var networkFailure: Code { .networkFailure }
  /// The container does not exist, or the app cannot use it.
  public static var badContainer: Code { .badContainer }
  /// CloudKit is down: try again after `retryAfterSeconds`.
  public static var serviceUnavailable: Code { .serviceUnavailable }
  /// Too many requests: try again after `retryAfterSeconds`.
  public static var requestRateLimited: Code { .requestRateLimited }
  /// The program may not use CloudKit, or not this store.
  public static var missingEntitlement: Code { .missingEntitlement }
  /// No account is signed in, or it cannot use iCloud.
  public static var notAuthenticated: Code { .notAuthenticated }
  /// The user may not do this.
  public static var permissionFailure: Code { .permissionFailure }
  /// The item does not exist.
  public static var unknownItem: Code { .unknownItem }
  /// The request is invalid: its values, its query or its schema.
  public static var invalidArguments: Code { .invalidArguments }
  /// Not sent any more.
  public static var resultsTruncated: Code { .resultsTruncated }
  /// Another change came first: `serverRecord` has it.
  public static var serverRecordChanged: Code { .serverRecordChanged }
  /// CloudKit refused the request.
  public static var serverRejectedRequest: Code { .serverRejectedRequest }
  /// The file of an asset does not exist.
  public static var assetFileNotFound: Code { .assetFileNotFound }
  /// The file of an asset changed while it was saved.
  public static var assetFileModified: Code { .assetFileModified }
  /// The app is too old for the data.
  public static var incompatibleVersion: Code { .incompatibleVersion }
  /// A value that must be unique exists already.
  public static var constraintViolation: Code { .constraintViolation }
  /// The app cancelled the request.
  public static var operationCancelled: Code { .operationCancelled }
  /// The change token is too old: fetch all changes without one.
  public static var changeTokenExpired: Code { .changeTokenExpired }
  /// Another item of the same atomic zone failed.
  public static var batchRequestFailed: Code { .batchRequestFailed }
  /// The zone has too many requests: try again after `retryAfterSeconds`.
  public static var zoneBusy: Code { .zoneBusy }
  /// The database does not support the request.
  public static var badDatabase: Code { .badDatabase }
  /// The user has no space left in iCloud.
  public static var quotaExceeded: Code { .quotaExceeded }
  /// The zone does not exist.
  public static var zoneNotFound: Code { .zoneNotFound }
  /// The request is too large: split it.
  public static var limitExceeded: Code { .limitExceeded }
  /// The user deleted the zone in the system's settings.
  public static var userDeletedZone: Code { .userDeletedZone }
  /// The share has the most participants that a share can have.
  public static var tooManyParticipants: Code { .tooManyParticipants }
  /// The record has a share already.
  public static var alreadyShared: Code { .alreadyShared }
  /// The target of a reference does not exist, or is still referred to.
  public static var referenceViolation: Code { .referenceViolation }
  /// Device management forbids the request.
  public static var managedAccountRestricted: Code { .managedAccountRestricted }
  /// The user must confirm an address to accept the share.
  public static var participantMayNeedVerification: Code { .participantMayNeedVerification }
  /// The answer was lost: the change may have been made.
  public static var serverResponseLost: Code { .serverResponseLost }
  /// The contents of an asset cannot be fetched.
  public static var assetNotAvailable: Code { .assetNotAvailable }
  /// The account is signed in, but not ready yet.
  public static var accountTemporarilyUnavailable: Code { .accountTemporarilyUnavailable }
  /// The participant has an invitation already.
  public static var participantAlreadyInvited: Code { .participantAlreadyInvited }
}

/// Whether an error has a code.
public func ~= (code: CKError.Code, error: any Error) -> Bool {
  (error as? CKError)?.code == code
}

// Apple's runtime converts errors of the domain by itself; here a conversion must be declared, for
// `error as? CKError` of an `NSError` and `error as? NSError` of a `CKError`.
extension CKError: _ObjectiveCBridgeable {
  /// The error as Foundation knows it.
  public func _bridgeToObjectiveC() -> NSError { _nsError }

  /// Converts an error that is known to be one of CloudKit's.
  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout CKError?) {
    result = CKError(_nsError: source)
  }

  /// Converts an error if its domain is `CKErrorDomain`.
  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSError, result: inout CKError?
  ) -> Bool {
    guard source.domain == CKErrorDomain else { return false }
    result = CKError(_nsError: source)
    return true
  }

  /// Converts an error that is known to be one of CloudKit's; nil becomes `internalError`.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> CKError {
    CKError(_nsError: source ?? NSError(domain: CKErrorDomain, code: Code.internalError.rawValue))
  }
}
