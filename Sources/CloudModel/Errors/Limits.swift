/// CloudKit's limits and our own, each with its source.
public enum Limits {
  /// Characters of a record, zone or owner name (D:ckrecord.id, D:ckrecordzone.id).
  public static let nameLength = 255
  /// Characters of a record type or field name: not published, the project's decision (R3.1.5).
  public static let identifierLength = 255
  /// Bytes of a record without its assets (R3.4.8).
  public static let recordSize = 1 << 20
  /// The size in bytes that Core Data lets a record have; larger values are in assets (E9).
  public static let mirroredRecordSize = 700_000
  /// Items of one native operation (H:CKError limitExceeded).
  public static let operationItems = 400
  /// Operations of one request of Web Services, and records of one answer (WS:limits).
  public static let wireOperations = 200
  /// Bytes of one native operation, without assets (H:CKError limitExceeded).
  public static let operationSize = 2 << 20
  /// Records with a deleteSelf reference to the same target (R5.14).
  public static let owners = 750
  /// Participants of a share, including its owner (R10.2.8).
  public static let participants = 100
  /// Bytes of an asset above which CloudKit may refuse (R3.5.8).
  public static let assetSize: Int64 = 50 << 20
  /// Records on a page of a query without a limit: about 100 were observed (R3.5.15).
  public static let queryPage = 100
  /// Bytes of a predicate's text (T8).
  public static let predicateLength = 512 << 10
  /// Levels of nesting in a predicate (T8).
  public static let predicateDepth = 200
  /// Values on the right of IN (T8).
  public static let predicateValues = 100_000
}
