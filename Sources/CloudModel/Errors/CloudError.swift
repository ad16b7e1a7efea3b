/// An error of CloudKit: a CKError as facts. Each surface creates the text for people.
public struct CloudError: Error, Sendable, Equatable {
  /// The CKError code.
  public var code: Code
  /// The server's message if known, otherwise a similar sentence.
  public var message: String
  /// The server's sub-code, as in `(12/2006)`; the code's usual one by default.
  public var serverCode: Int?
  /// The affected record.
  public var recordName: String?
  /// The affected zone.
  public var zone: ZoneID?
  /// The remedy.
  public var remedy: Remedy?
  /// The position of the fault in a predicate's text.
  public var span: Span?
  /// How long to wait before retrying, in seconds.
  public var retryAfter: Double?
  /// With `serverRecordChanged`: the stored record and the one to be saved.
  public var conflict: Conflict?
  /// With `zoneNotFound`: whether the zone is gone because its user's keys were reset
  /// (`CKErrorUserDidResetEncryptedDataKey`, R2.11).
  public var didResetEncryptedData = false
  /// With `partialFailure`: the failed items, in the order of the operation.
  public var items: [CloudError] = []
  /// The fault of a document operation, whose name replaces the code's.
  public var document: DocumentFault?
  /// The fault of the local store, below CloudKit's rules; determines the exit code.
  public var storage: StorageFault?

  /// Creates an error; the other facts are set afterwards.
  public init(
    _ code: Code, _ message: String, serverCode: Int? = nil, recordName: String? = nil,
    zone: ZoneID? = nil, remedy: Remedy? = nil
  ) {
    self.code = code
    self.message = message
    self.serverCode = serverCode ?? code.facts.serverCode
    self.recordName = recordName
    self.zone = zone
    self.remedy = remedy
  }

  /// The codes of CKError.h (R12).
  public enum Code: Int, Sendable, CaseIterable {
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

  /// The two sides of a conflict. There is no ancestor record, because the store keeps no history.
  public struct Conflict: Sendable, Equatable {
    /// The stored record.
    public var server: Record
    /// The record to be saved.
    public var client: Record

    /// Creates a conflict.
    public init(server: Record, client: Record) {
      self.server = server
      self.client = client
    }
  }

  /// Faults of the local store itself, for which CloudKit has no error.
  public enum StorageFault: Sendable, Equatable {
    /// Another process is writing; its process ID if known.
    case busy(holder: Int32?)
    /// The disk is full.
    case full
    /// The files are not writable.
    case readOnly
    /// A file or directory could not be created.
    case cannotCreate
    /// Another input or output error.
    case inputOutput
    /// A named local file is missing or cannot be read.
    case missingInput
    /// No store, or no container chosen.
    case notConfigured
    /// The store's files are damaged.
    case damaged
    /// The store was created by a newer version.
    case newerVersion
    /// The store was created by a version from before the first release.
    case olderVersion
    /// The user interrupted.
    case interrupted
  }
}
