internal import CloudModel
@_exported public import Foundation

/// A reference to a record (`CKRecord.Reference`).
public final class CKReference: NSObject, NSSecureCoding, NSCopying, Sendable {
  /// What deleting the target does.
  public typealias Action = CKRecord.ReferenceAction

  /// The target.
  public let recordID: CKRecord.ID
  /// What deleting the target does.
  public let action: CKRecord.ReferenceAction

  /// Creates a reference to a record by its identity.
  public init(recordID: CKRecord.ID, action: CKRecord.ReferenceAction) {
    (self.recordID, self.action) = (recordID, action)
  }

  /// Creates a reference to a record.
  public convenience init(record: CKRecord, action: CKRecord.ReferenceAction) {
    self.init(recordID: record.recordID, action: action)
  }

  // MARK: Copying and archiving

  /// Returns the reference itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// References can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  private enum Key {
    static let recordID = "RecordID"
    static let action = "ReferenceAction"
  }

  /// Writes the reference to a keyed archive.
  public func encode(with coder: NSCoder) {
    coder.encode(recordID, forKey: Key.recordID)
    coder.encode(Int(bitPattern: action.rawValue), forKey: Key.action)
  }

  /// Reads a reference from a keyed archive; nil without a target.
  public convenience init?(coder: NSCoder) {
    guard let recordID = coder.object(of: CKRecord.ID.self, forKey: Key.recordID) else {
      return nil
    }
    let bits = UInt(bitPattern: coder.integer(forKey: Key.action) ?? 0)
    self.init(recordID: recordID, action: CKRecord.ReferenceAction(rawValue: bits) ?? .none)
  }

  // MARK: Comparing

  /// Whether target and action are the same.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKReference else { return false }
    return self === other || recordID == other.recordID && action == other.action
  }

  public override var hash: Int { recordID.hash }

  /// `<CKReference: 0x7f…; recordID=<…>, action=deleteSelf>`.
  public override var description: String {
    "<CKReference: \(address(of: self)); recordID=\(recordID), action=\(action)>"
  }
}

extension CKRecord {
  /// A reference to a record.
  public typealias Reference = CKReference

  /// What deleting the target of a reference does (R5.1).
  public enum ReferenceAction: UInt, Sendable {
    /// Nothing.
    case none = 0
    /// Deletes the referring record.
    case deleteSelf = 1
  }
}
