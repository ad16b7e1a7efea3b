@_exported public import Foundation

/// The seconds after which to try again, as an `NSNumber`.
public let CKErrorRetryAfterKey = "CKRetryAfter"
/// The errors of single items, by `CKRecord.ID`, `CKRecordZone.ID` or `CKSubscription.ID`.
public let CKPartialErrorsByItemIDKey = "CKPartialErrors"
/// The record as the app fetched it.
public let CKRecordChangedErrorAncestorRecordKey = "AncestorRecord"
/// The record in iCloud.
public let CKRecordChangedErrorServerRecordKey = "ServerRecord"
/// The record that the app tried to save.
public let CKRecordChangedErrorClientRecordKey = "ClientRecord"
/// Whether the user lost the keys of a zone, as an `NSNumber`.
public let CKErrorUserDidResetEncryptedDataKey = "CKErrorUserDidResetEncryptedData"

extension CKError {
  /// The errors of single items of an operation; nil for none.
  public var partialErrorsByItemID: [AnyHashable: any Error]? {
    userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error]
  }

  /// With `serverRecordChanged`: the record as the app fetched it.
  public var ancestorRecord: CKRecord? {
    userInfo[CKRecordChangedErrorAncestorRecordKey] as? CKRecord
  }

  /// With `serverRecordChanged`: the record in iCloud.
  public var serverRecord: CKRecord? {
    userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord
  }

  /// With `serverRecordChanged`: the record that the app tried to save.
  public var clientRecord: CKRecord? {
    userInfo[CKRecordChangedErrorClientRecordKey] as? CKRecord
  }

  /// The seconds after which to try again; nil if that is not known.
  public var retryAfterSeconds: Double? {
    (userInfo[CKErrorRetryAfterKey] as? NSNumber)?.doubleValue
  }
}

extension CKError: CustomStringConvertible, CustomDebugStringConvertible {
  /// `<CKError: "zoneBusy" (23); "The zone is too busy"; retry after 3.0 seconds>`.
  public var description: String {
    let underlying = userInfo[NSUnderlyingErrorKey] as? NSError
    var text = "<CKError: \"\(code)\" (\(code.rawValue)\(underlying.map { "/\($0.code)" } ?? ""))"
    text += "; \"\(localizedDescription)\""
    if let seconds = retryAfterSeconds { text += "; retry after \(seconds) seconds" }
    if let items = partialErrorsByItemID {
      let lines = items.map { "  \($0.key) = \($0.value)" }.sorted()
      text += "; partial errors = {\n\(lines.joined(separator: "\n"))\n}"
    }
    return text + ">"
  }

  /// The same.
  public var debugDescription: String { description }
}
