/// What CloudKit answers when it refuses: a CKError as facts. Text for people is made at the top.
public struct CloudError: Error, Sendable, Equatable {
  /// The CKError code.
  public var code: Code
  /// The server's words where they are known, otherwise a sentence of the same kind.
  public var message: String
  /// The server's sub-code, as in `(12/2006)`; by default the usual one of the code.
  public var serverCode: Int?
  /// The record that it is about.
  public var recordName: String?
  /// The zone that it is about.
  public var zone: ZoneID?
  /// What the caller can do about it.
  public var remedy: Remedy?
  /// Where in a predicate's text the fault is.
  public var span: Span?
  /// How long to wait before the next try, in seconds.
  public var retryAfter: Double?
  /// With `serverRecordChanged`: the record in the store and the one that was to be saved.
  public var conflict: Conflict?
  /// With `zoneNotFound`: whether the zone is gone because its user's keys were reset
  /// (`CKErrorUserDidResetEncryptedDataKey`, R2.11).
  public var didResetEncryptedData = false
  /// With `partialFailure`: what failed, in the order of the operation.
  public var items: [CloudError] = []
  /// What a document's rules refused: its name takes the place of the code's.
  public var document: DocumentFault?
  /// What failed below CloudKit's rules, in the local store; decides the exit code.
  public var storage: StorageFault?

  /// Makes an error; the other facts are set afterwards.
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

  /// The two sides of a conflict; there is no ancestor record: the store keeps no history.
  public struct Conflict: Sendable, Equatable {
    /// The record that is in the store.
    public var server: Record
    /// The record that was to be saved.
    public var client: Record

    /// Names the two sides.
    public init(server: Record, client: Record) {
      self.server = server
      self.client = client
    }
  }

  /// What can go wrong with the local store itself, where CloudKit has no error.
  public enum StorageFault: Sendable, Equatable {
    /// Another process writes; its process id where it is known.
    case busy(holder: Int32?)
    /// No room left on the disk.
    case full
    /// The files may not be written.
    case readOnly
    /// A file or directory could not be made.
    case cannotCreate
    /// Another input or output error.
    case inputOutput
    /// A local file that was named is not there or cannot be read.
    case missingInput
    /// No store, or no container chosen.
    case notConfigured
    /// The store's files are not what they should be.
    case damaged
    /// The store was made by a newer version.
    case newerVersion
    /// The store was made by a version of before the first release.
    case olderVersion
    /// The user interrupted.
    case interrupted
  }
}
