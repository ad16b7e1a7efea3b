/// The system fields that predicates, sorts and `--fields` may name (R3.2, M2.23).
public enum SystemKey: String, Sendable, CaseIterable {
  case recordName
  case creationDate
  case modificationDate
  case creatorUserRecordID
  case lastModifiedUserRecordID
  case changeTag
  case parent
  case share

  /// Parses a key by any of its names.
  public init?(_ key: String) {
    switch key {
    case "recordName", "recordID", "___recordID": self = .recordName
    case "creationDate", "___createTime": self = .creationDate
    case "modificationDate", "___modTime": self = .modificationDate
    case "creatorUserRecordID", "___createdBy": self = .creatorUserRecordID
    case "lastModifiedUserRecordID", "___modifiedBy": self = .lastModifiedUserRecordID
    case "changeTag", "recordChangeTag", "___etag": self = .changeTag
    case "parent": self = .parent
    case "share": self = .share
    default: return nil
    }
  }

  /// The name in the schema language; nil if schemas do not name it.
  public var schemaName: String? {
    switch self {
    case .recordName: "___recordID"
    case .creationDate: "___createTime"
    case .modificationDate: "___modTime"
    case .creatorUserRecordID: "___createdBy"
    case .lastModifiedUserRecordID: "___modifiedBy"
    case .changeTag: "___etag"
    case .parent, .share: nil
    }
  }

  /// The type of its values in predicates. Names are references; strings may be used for them.
  public var type: FieldType {
    switch self {
    case .creationDate, .modificationDate: FieldType(.timestamp)
    case .changeTag: FieldType(.string)
    case .recordName, .creatorUserRecordID, .lastModifiedUserRecordID, .parent, .share:
      FieldType(.reference)
    }
  }

  /// The value of this key in a record; nil if it has none.
  public func value(in record: Record) -> FieldValue? {
    switch self {
    case .recordName: .reference(Reference(record.name))
    case .creationDate: (record.created?.at).map { .timestamp($0) }
    case .modificationDate: (record.modified?.at).map { .timestamp($0) }
    case .creatorUserRecordID: Self.user(record.created)
    case .lastModifiedUserRecordID: Self.user(record.modified)
    case .changeTag: (record.changeTag?.text).map { .string($0) }
    case .parent: record.parent.map { .reference(Reference($0)) }
    case .share: record.share.map { .reference(Reference($0)) }
    }
  }

  private static func user(_ stamp: Record.Stamp?) -> FieldValue? {
    (stamp?.by.text).map { .reference(Reference(RecordName(stored: $0))) }
  }
}

extension FieldName {
  /// The field of a key in a predicate, a sort or `--fields`: `#parent` is a field with the name of
  /// a system key.
  public init(key: String) { self.init(stored: key.hasPrefix("#") ? String(key.dropFirst()) : key) }

  /// The key of the field.
  public var key: String { isTaken ? "#\(text)" : text }

  /// Whether a system key has this name, in any form; such a field is created only by a schema.
  public var isTaken: Bool {
    SystemKey(text) != nil || ["recordType", "encryptedValues"].contains(text)
  }
}
